import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import type { Answer, Order } from "./requests.ts";
import { Questions } from "./replies.ts";
import { Thread } from "./worker_thread.ts";

/** An order to one of the threads. */
type Told = readonly [thread: number, order: Order];

/** How something is asked. */
export type Ask = (
  threads: number,
  order: (ticket: number) => Order,
) => Promise<readonly Answer[]>;

/**
 * Threads, started when they are first told something. What they are told goes out when the code under way is done, or
 * there is much of it; and stays back while something must be known before it.
 */
export class Crew {
  /** How many there are at most. */
  readonly size: number;
  readonly #start: () => Worker;
  readonly #threads: Thread[] = [];
  readonly #questions = new Questions();
  #failure: Error | undefined;
  #isSending = false;
  /** What stays back, and what must be known first. */
  #held: (Told | (() => Promise<void>))[] | undefined;

  constructor(size: number, start: () => Worker) {
    this.size = size;
    this.#start = start;
  }

  /** What has gone wrong. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Something to do for one of them; nothing where something has gone wrong. */
  tell(thread: number, order: Order): void {
    if (this.#held !== undefined) this.#held.push([thread, order]);
    else this.#send(thread, order);
  }

  /** Something to be answered by the first so many of them. */
  ask(threads: number, order: (ticket: number) => Order): Promise<readonly Answer[]> {
    return this.#ask(threads, order, (thread, order) => this.tell(thread, order));
  }

  /** Does something that takes questions one after another: what they are told from now on comes after it. */
  alone<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    promise.catch(() => {}); // whoever waits for it learns of it
    const ask: Ask = (threads, order) => {
      const answers = this.#ask(threads, order, (thread, order) => this.#send(thread, order));
      this.flush();
      return answers;
    };
    const job = () => work(ask).then(resolve, reject);
    if (this.#held !== undefined) this.#held.push(job);
    else this.#hold(job);
    return promise;
  }

  /** Sends all that does not stay back. */
  flush(): void {
    this.#isSending = false;
    for (const thread of this.#threads) thread?.flush();
  }

  /** Ends all; who waits for answers gets none but this error. */
  end(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const thread of this.#threads) thread?.end();
    this.#questions.fail(error);
  }

  #ask(
    threads: number,
    order: (ticket: number) => Order,
    tell: (thread: number, order: Order) => void,
  ): Promise<readonly Answer[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { ticket, answers } = this.#questions.ask(threads);
    answers.catch(() => {});
    for (let thread = 0; thread < threads; thread++) tell(thread, order(ticket));
    return answers;
  }

  #send(number: number, order: Order): void {
    if (this.#failure !== undefined) return;
    const thread = this.#threads[number] ??= this.#started(number);
    thread.tell(order);
    if (this.#isSending) return;
    this.#isSending = true;
    queueMicrotask(() => this.#isSending && this.flush());
  }

  #started(number: number): Thread {
    return new Thread(this.#start(), number, {
      answered: (thread, ticket, answer) => this.#questions.answer(thread, ticket, answer),
      failed: (error) => this.end(failureOf(error)),
    });
  }

  #hold(job: () => Promise<void>): void {
    this.#held ??= [];
    job().then(() => this.#release()).catch((error) => this.end(failureOf(error)));
  }

  #release(): void {
    const held = this.#held!;
    for (let next = held.shift(); next !== undefined; next = held.shift()) {
      if (typeof next === "function") return this.#hold(next);
      this.#send(...next);
    }
    this.#held = undefined;
  }
}

function failureOf(cause: Error): BackendUnavailableError {
  const reason = cause instanceof RangeError ? "memory" : "broken";
  return new BackendUnavailableError(
    `Cannot go on with threads as each must be in order: one has failed with "${cause.message}"`,
    { backend: "wasm", reason, during: "run", cause },
  );
}
