import type { Answer, Order, Reply } from "./requests.ts";

/** So many orders go in one message at most: the thread has something to do while more are found. */
const FULL = 32;

/** Who is told what a thread answers. */
export interface ThreadOwner {
  /** To a question with this ticket. */
  answered(thread: number, ticket: number, answer: Answer): void;
  /** It does nothing more. */
  failed(error: Error): void;
}

/** A worker, and what it is to be told next. */
export class Thread {
  readonly #worker: Worker;
  #orders: Order[] = [];

  /** Starts it. */
  constructor(worker: Worker, number: number, owner: ThreadOwner) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      const { answers, error } = data as Reply;
      for (const { ticket, answer } of answers) owner.answered(number, ticket, answer);
      if (error !== undefined) owner.failed(revived(error));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      owner.failed(new Error(event.message));
    };
    worker.onmessageerror = () => owner.failed(new Error("a message could not be read"));
  }

  /** Something more, in order. */
  tell(order: Order): void {
    this.#orders.push(order);
    if (this.#orders.length >= FULL) this.flush();
  }

  /** Sends what there is. */
  flush(): void {
    if (this.#orders.length === 0) return;
    this.#worker.postMessage(this.#orders);
    this.#orders = [];
  }

  /** Ends it, whatever it does. */
  end(): void {
    this.#worker.terminate();
  }
}

function revived({ name, message }: { readonly name: string; readonly message: string }): Error {
  return name === "RangeError" ? new RangeError(message) : new Error(message);
}
