/**
 * Requests to a worker that it has not answered yet.
 *
 * @module
 */

import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import type { WorkerError, WorkerReply, WorkerRequest } from "./session_worker.ts";

interface Waiting {
  readonly resolve: (reply: WorkerReply) => void;
  readonly reject: (error: Error) => void;
}

/** A request without its number. */
type Unnumbered<R = WorkerRequest> = R extends WorkerRequest ? Omit<R, "id"> : never;

/** Options of {@linkcode PendingRequests}. */
export interface PendingRequestsOptions {
  /** Returns how long the worker may be silent now, ms. */
  timeout(): number;
  /** Called when it was silent for longer. */
  silent(timeout: number): void;
}

/** Sends requests to a worker, matches replies to them, and watches that the worker answers. */
export class PendingRequests {
  readonly #options: PendingRequestsOptions;
  readonly #waiting = new Map<number, Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent = 0;

  constructor(options: PendingRequestsOptions) {
    this.#options = options;
  }

  /** Sends a request. The promise settles with its reply, or is rejected by `rejectAll`. */
  ask(worker: Worker, request: Unnumbered): Promise<WorkerReply> {
    const id = this.#sent++;
    return new Promise((resolve, reject) => {
      worker.postMessage({ ...request, id });
      this.#waiting.set(id, { resolve, reject });
      if (this.#waiting.size === 1) this.#watch();
    });
  }

  /** Settles the request that a reply belongs to. */
  settle(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    this.#watch();
    if ("error" in reply) waiting?.reject(revive(reply.error));
    else waiting?.resolve(reply);
  }

  /** Rejects all requests: the worker does not answer any more. */
  rejectAll(error: Error): void {
    clearTimeout(this.#timer);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }

  /** Restarts the clock: with each reply, the requests behind it begin to wait. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.size === 0) return;
    const timeout = this.#options.timeout();
    this.#timer = setTimeout(() => this.#options.silent(timeout), timeout);
  }
}

const CLASSES: Readonly<Record<string, new (message: string) => Error>> = {
  RangeError,
  SyntaxError,
  TypeError,
};

/** Returns the error that a worker had, with its class. */
function revive({ name, message, backend, reason, during }: WorkerError): Error {
  if (backend !== undefined && reason !== undefined && during !== undefined) {
    return new BackendUnavailableError(message, { backend, reason, during });
  }
  return new (CLASSES[name] ?? Error)(message);
}
