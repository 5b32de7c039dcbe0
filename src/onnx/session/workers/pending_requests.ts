/**
 * Matches replies of a worker to pending requests.
 *
 * @module
 */

import { BackendUnavailableError } from "../../../backend/backend_unavailable_error.ts";
import type { ScriptWorker } from "../../../platform/workers.ts";
import type { WorkerError, WorkerReply, WorkerRequest } from "./worker_messages.ts";

interface Waiting {
  /** Name of the call in error messages. */
  readonly call: string;
  readonly resolve: (reply: WorkerReply) => void;
  readonly reject: (error: Error) => void;
}

/** A request without its `id`. */
type Unnumbered<R = WorkerRequest> = R extends WorkerRequest ? Omit<R, "id"> : never;

/** Options of {@linkcode PendingRequests}. */
export interface PendingRequestsOptions {
  /** Returns the maximum time in milliseconds for the current reply of the worker. */
  timeout(): number;
  /** Called when the timeout expires, with the name of the oldest pending call and the timeout in milliseconds. */
  silent(call: string, timeout: number): void;
}

/**
 * Requests to a worker that have no reply yet. Matches replies to requests, and detects a worker that does not reply.
 */
export class PendingRequests {
  readonly #options: PendingRequestsOptions;
  readonly #waiting = new Map<number, Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent = 0;

  constructor(options: PendingRequestsOptions) {
    this.#options = options;
  }

  /**
   * Sends a request. `call` is its name in error messages. The promise resolves to the reply, and rejects if the
   * reply is an error or `rejectAll` is called.
   */
  ask(worker: ScriptWorker, call: string, request: Unnumbered): Promise<WorkerReply> {
    const id = this.#sent++;
    return new Promise((resolve, reject) => {
      worker.postMessage({ ...request, id });
      this.#waiting.set(id, { call, resolve, reject });
      if (this.#waiting.size === 1) this.#watch();
    });
  }

  /** Resolves or rejects the promise of the request to which a reply belongs. */
  settle(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    this.#watch();
    if ("error" in reply) waiting?.reject(revive(reply.error));
    else waiting?.resolve(reply);
  }

  /** Rejects the promises of all pending requests, because the worker no longer replies. */
  rejectAll(error: Error): void {
    clearTimeout(this.#timer);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }

  /**
   * Starts the timeout of the oldest pending request anew, or stops it if no request is pending. The worker handles
   * requests one after another, so each reply starts the time of the next request.
   */
  #watch(): void {
    clearTimeout(this.#timer);
    const [oldest] = this.#waiting.values();
    if (oldest === undefined) return;
    const timeout = this.#options.timeout();
    this.#timer = setTimeout(() => this.#options.silent(oldest.call, timeout), timeout);
  }
}

const CLASSES: Readonly<Record<string, new (message: string) => Error>> = {
  RangeError,
  SyntaxError,
  TypeError,
};

/**
 * Returns an error that a worker reported as an instance of its original class; as an Error if the class is unknown.
 */
function revive({ name, message, backend, reason, during }: WorkerError): Error {
  if (backend !== undefined && reason !== undefined && during !== undefined) {
    return new BackendUnavailableError(message, { backend, reason, during });
  }
  return new (CLASSES[name] ?? Error)(message);
}
