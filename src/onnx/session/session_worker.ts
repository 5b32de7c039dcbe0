/**
 * What runs inside the worker of {@linkcode openSessionInWorker}: one session, and its answers by message.
 *
 * @module
 */

import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { openSession } from "./open_session.ts";
import type { HostFeeds } from "./compare_sessions.ts";
import type { SessionOptions } from "./session_options.ts";
import type { Session } from "./session_run.ts";
import type { Outputs, TensorInfo } from "./session_tensor.ts";

/** What a worker is asked for. */
export type WorkerRequest =
  | {
    readonly id: number;
    readonly kind: "open";
    readonly bytes: Uint8Array;
    readonly options: SessionOptions;
  }
  | {
    readonly id: number;
    readonly kind: "run";
    readonly feeds: HostFeeds;
    readonly fetches: readonly string[] | undefined;
  };

/** What is known of the session in the worker. */
export interface WorkerSessionInfo {
  /** What errors call it. */
  readonly name: string;
  /** Where it runs. */
  readonly device: "wasm" | "webgpu";
  /** How many threads it uses on wasm. */
  readonly threads: number;
  /** What it is fed, in the model's order. */
  readonly inputs: readonly TensorInfo[];
  /** What it gives. */
  readonly outputs: readonly TensorInfo[];
}

/** An error without its class, which no message carries. */
export interface WorkerError {
  readonly name: string;
  readonly message: string;
  readonly backend?: "webgpu" | "wasm";
  readonly reason?: BackendUnavailableError["reason"];
  readonly during?: string;
}

/** What a worker answers. */
export type WorkerReply =
  & { readonly id: number }
  & (
    | { readonly info: WorkerSessionInfo }
    | { readonly outputs: Outputs }
    | { readonly error: WorkerError }
  );

/** A worker's own side of it. */
interface Scope {
  onmessage: ((event: { readonly data: WorkerRequest }) => void) | null;
  postMessage(message: WorkerReply, transfer: readonly ArrayBufferLike[]): void;
}

let session: Session | undefined;

async function answer(request: WorkerRequest): Promise<WorkerReply> {
  const { id } = request;
  try {
    if (request.kind === "run") {
      return { id, outputs: await session!.run(request.feeds, request.fetches) };
    }
    session = await openSession(request.bytes, request.options);
    const { name, device, threads, inputs, outputs } = session;
    const place = device as "wasm" | "webgpu"; // it has a runtime
    return { id, info: { name, device: place, threads, inputs, outputs } };
  } catch (error) {
    return { id, error: describe(error) };
  }
}

function describe(error: unknown): WorkerError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message } = error;
  if (!(error instanceof BackendUnavailableError)) return { name, message };
  const { backend, reason, during } = error;
  return { name, message, backend, reason, during };
}

/** Their memory goes along, instead of being copied. */
function buffersOf(reply: WorkerReply): ArrayBufferLike[] {
  if (!("outputs" in reply)) return [];
  return Object.values(reply.outputs).flatMap((each) =>
    each.location === "host" ? [each.data.buffer] : []
  );
}

const scope = globalThis as unknown as Scope & { readonly WorkerGlobalScope?: unknown };

// Imported anywhere else, for its types, it does nothing.
if (scope.WorkerGlobalScope !== undefined) {
  scope.onmessage = async ({ data }) => {
    const reply = await answer(data);
    scope.postMessage(reply, buffersOf(reply));
  };
}
