import type { ErrorMessage, ReplyValue, WorkerReply, WorkerRequest } from "./requests.ts";

/**
 * Largest number of requests per message. The thread can work on a message while the next one is
 * filled.
 */
const FULL = 32;

/** Receiver of what a thread sends back. */
export interface ThreadListener {
  /** Called for each message, which shows that the thread is alive. */
  onMessage(thread: number): void;
  /** Called for each reply to a request with a ticket. */
  onReply(thread: number, ticket: number, value: ReplyValue): void;
  /** Called when the thread has failed and does not continue. */
  onFailure(error: Error): void;
}

/** A worker with its queued requests. */
export class WorkerThread {
  readonly #worker: Worker;
  #requests: WorkerRequest[] = [];

  /** Listens to a worker. */
  constructor(worker: Worker, number: number, listener: ThreadListener) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      const { values, error } = data as WorkerReply;
      listener.onMessage(number);
      for (const { ticket, value } of values) listener.onReply(number, ticket, value);
      if (error !== undefined) listener.onFailure(revived(error));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      listener.onFailure(new Error(event.message));
    };
    worker.onmessageerror = () => listener.onFailure(new Error("a message could not be read"));
  }

  /** Queues a request. Requests are handled in order. */
  post(request: WorkerRequest): void {
    this.#requests.push(request);
    if (this.#requests.length >= FULL) this.flush();
  }

  /** Posts the queued requests. */
  flush(): void {
    if (this.#requests.length === 0) return;
    this.#worker.postMessage(this.#requests);
    this.#requests = [];
  }

  /** Ends the worker at once, even in the middle of a request. */
  terminate(): void {
    this.#worker.terminate();
  }
}

/**
 * Restores the class of an error, which a message cannot contain: a RangeError reports that memory
 * ran out.
 */
function revived({ name, message }: ErrorMessage): Error {
  return name === "RangeError" ? new RangeError(message) : new Error(message);
}
