/**
 * Worker script of {@linkcode ThreadedBackend}, which runs kernels on a part of a batch.
 *
 * @module
 */

import { workerScope } from "../../platform/workers.ts";
import { isFailureOfOther } from "./team.ts";
import { WorkerPort } from "./worker_port.ts";
import type { ErrorMessage, Numbers, ReplyValue, WorkerReply, WorkerRequest } from "./requests.ts";

/** Size in bytes from which arrays are transferred instead of copied. Copying smaller ones is as fast. */
const LARGE = 4096;

/** Returns the buffers of large arrays, which are transferred with the message instead of copied. */
function transferred(values: WorkerReply["values"]): ArrayBufferLike[] {
  return values.flatMap(({ value }) => Array.isArray(value) ? value as Numbers[] : [])
    .filter(({ byteLength }) => byteLength >= LARGE)
    .map(({ buffer }) => buffer);
}

/** Longest time between two messages while a thread computes, in ms. */
const SIGN_OF_LIFE = 1000;

function describe(error: unknown): ErrorMessage {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  return { name: error.name, message: error.message };
}

const scope = workerScope();

// Outside a worker, when this file is imported for its types, it does nothing.
if (scope !== undefined) {
  let error: ErrorMessage | undefined, isAbandoned = false;
  let posted = performance.now();
  const post = (values: WorkerReply["values"]) => {
    scope.postMessage({ values, error } satisfies WorkerReply, transferred(values));
    posted = performance.now();
  };
  const giveSign = () => {
    if (performance.now() - posted > SIGN_OF_LIFE) post([]);
  };
  const giveSignOfWaiting = () => {
    scope.postMessage({ values: [], error, isWaiting: true } satisfies WorkerReply, []);
  };
  const port = new WorkerPort(giveSign, giveSignOfWaiting);
  scope.onmessage = ({ data }) => {
    const requests = data as readonly WorkerRequest[];
    const values: { ticket: number; value: ReplyValue }[] = [];
    try {
      // After a failure all requests are dropped, because state may be half changed.
      for (const request of error === undefined ? requests : []) {
        const value = port.handle(request);
        if ("ticket" in request && request.ticket !== undefined) {
          values.push({ ticket: request.ticket, value: value! });
        }
        giveSign();
      }
    } catch (thrown) {
      error = describe(thrown);
      port.failTeams();
      isAbandoned = isFailureOfOther(thrown);
    }
    // After the failure of another thread of a team, that thread reports the cause.
    if (!isAbandoned && (values.length > 0 || error !== undefined)) post(values);
  };
}
