/**
 * What runs inside the workers of a {@linkcode ThreadedBackend}: kernels, for part of a batch.
 *
 * @module
 */

import { Desk } from "./worker_port.ts";
import type { Answer, ErrorThere, Numbers, Order, Reply } from "./requests.ts";

/** A worker's own side of it. */
interface Scope {
  onmessage: ((event: { readonly data: readonly Order[] }) => void) | null;
  postMessage(message: Reply, transfer: readonly ArrayBufferLike[]): void;
}

/** What is smaller is copied as fast as it is handed over, bytes. */
const LARGE = 4096;

/** Their memory goes along, instead of being copied. */
function buffersOf(answers: Reply["answers"]): ArrayBufferLike[] {
  return answers.flatMap(({ answer }) => Array.isArray(answer) ? answer as Numbers[] : [])
    .filter(({ byteLength }) => byteLength >= LARGE)
    .map(({ buffer }) => buffer);
}

function describe(error: unknown): ErrorThere {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  return { name: error.name, message: error.message };
}

const scope = globalThis as unknown as Scope & { readonly WorkerGlobalScope?: unknown };

// Imported anywhere else, for its types, it does nothing.
if (scope.WorkerGlobalScope !== undefined) {
  const desk = new Desk();
  let error: ErrorThere | undefined;
  scope.onmessage = ({ data: orders }) => {
    const answers: { ticket: number; answer: Answer }[] = [];
    try {
      for (const order of error === undefined ? orders : []) {
        const answer = desk.take(order);
        if ("ticket" in order && order.ticket !== undefined) {
          answers.push({ ticket: order.ticket, answer: answer! });
        }
      }
    } catch (thrown) {
      error = describe(thrown);
    }
    if (answers.length > 0 || error !== undefined) {
      scope.postMessage({ answers, error }, buffersOf(answers));
    }
  };
}
