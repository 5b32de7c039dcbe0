/**
 * Script that runs inside the worker of {@linkcode openSessionInWorker}. It opens one session, and replies to
 * requests.
 *
 * @module
 */

import { BackendUnavailableError } from "../../../backend/backend_unavailable_error.ts";
import { workerScope } from "../../../platform/workers.ts";
import { openSessionHere } from "../open_session.ts";
import type { Session } from "../session_run.ts";
import type { SessionDevice } from "../session_runtime.ts";
import type { WorkerError, WorkerReply, WorkerRequest } from "./worker_messages.ts";

let session: Session | undefined;

async function answer(request: WorkerRequest): Promise<WorkerReply> {
  const { id } = request;
  try {
    if (request.kind === "run") {
      return { id, outputs: await session!.run(request.feeds, request.fetches) };
    }
    const { wasmFile: from, ...options } = request.options;
    const wasmFile = typeof from === "string" ? new URL(from) : from;
    session = await openSessionHere(request.bytes, {
      ...options,
      ...(wasmFile === undefined ? {} : { wasmFile }),
    });
    const { name, device, threads, inputs, outputs } = session;
    const place = device as SessionDevice; // `openSessionHere` opens no evaluator sessions.
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

/** Returns the buffers of the outputs in a reply, which are transferred instead of copied. */
function buffersOf(reply: WorkerReply): ArrayBufferLike[] {
  if (!("outputs" in reply)) return [];
  return Object.values(reply.outputs).flatMap((each) =>
    each.location === "host" ? [each.data.buffer] : []
  );
}

const scope = workerScope();

// This file has no effect if it is imported outside of a worker.
if (scope !== undefined) {
  scope.onmessage = async ({ data }) => {
    const reply = await answer(data as WorkerRequest);
    scope.postMessage(reply, buffersOf(reply));
  };
}
