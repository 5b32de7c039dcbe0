import type { ScriptWorker } from "../../platform/workers.ts";
import type { ErrorMessage, ReplyValue, WorkerReply, WorkerRequest } from "./requests.ts";

/** Largest number of requests per message. The thread can execute one message while the next one is filled. */
const FULL = 32;

/** Receives the events of a thread. */
export interface ThreadListener {
  /**
   * Called for each message, because it shows that the thread is alive. `isWaiting` is true if the thread only waits
   * for other threads.
   */
  onMessage(thread: number, isWaiting: boolean): void;
  /** Called for each reply to a request that has a ticket. */
  onReply(thread: number, ticket: number, value: ReplyValue): void;
  /** Called if the thread has failed. It handles no more requests then. */
  onFailure(error: Error): void;
}

/** A worker, and the requests that are queued for it. */
export class WorkerThread {
  readonly #worker: ScriptWorker;
  #requests: WorkerRequest[] = [];

  /** Starts to listen to `worker`. `number` is its index, which the listener receives. */
  constructor(worker: ScriptWorker, number: number, listener: ThreadListener) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      const { values, error, isWaiting = false } = data as WorkerReply;
      listener.onMessage(number, isWaiting);
      for (const { ticket, value } of values) listener.onReply(number, ticket, value);
      if (error !== undefined) listener.onFailure(revived(error));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      listener.onFailure(new Error(event.message));
    };
    worker.onmessageerror = () => listener.onFailure(new Error("a message could not be read"));
  }

  /** Queues a request. The worker handles requests in order. */
  post(request: WorkerRequest): void {
    this.#requests.push(request);
    if (this.#requests.length >= FULL) this.flush();
  }

  /** Posts the queued requests in one message. */
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

/** Creates an error of the original class, which a message cannot carry. A RangeError means that memory ran out. */
function revived({ name, message }: ErrorMessage): Error {
  return name === "RangeError" ? new RangeError(message) : new Error(message);
}
