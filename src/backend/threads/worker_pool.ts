import type { ScriptWorker } from "../../platform/workers.ts";
import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import type { ReplyValue, WorkerRequest } from "./requests.ts";
import { PendingReplies } from "./replies.ts";
import { Watchdog } from "./watchdog.ts";
import { WorkerThread } from "./worker_thread.ts";

/** A request with the index of the thread that receives it. */
type AddressedRequest = readonly [thread: number, request: WorkerRequest];

/** A function that sends a request to the first `threads` threads and resolves to their replies. */
export type SendRequest = (
  threads: number,
  request: (ticket: number, thread: number) => WorkerRequest,
) => Promise<readonly ReplyValue[]>;

/**
 * A pool of worker threads. Each thread is started by its first request.
 *
 * Requests are posted in the next microtask, so that all requests of one step share a message. A full message is
 * posted earlier. During exclusive work, other requests are held back, because they must follow it on every thread.
 */
export class WorkerPool {
  /** Largest number of threads. */
  readonly size: number;
  readonly #start: () => ScriptWorker;
  readonly #threads: WorkerThread[] = [];
  readonly #replies = new PendingReplies();
  readonly #watchdog: Watchdog;
  #failure: Error | undefined;
  /** True if a microtask is scheduled that posts the queued requests. */
  #isSending = false;
  /**
   * Requests and exclusive work that wait for the current exclusive work, in order; `undefined` if there is no
   * exclusive work.
   */
  #held: (AddressedRequest | (() => Promise<void>))[] | undefined;

  /**
   * Creates a pool of up to `size` threads. `start` creates a worker. If a thread that has to reply is silent for
   * `timeout` milliseconds, the pool fails.
   */
  constructor(size: number, start: () => ScriptWorker, timeout: number) {
    this.size = size;
    this.#start = start;
    this.#watchdog = new Watchdog(size, {
      timeout,
      owes: (thread) => this.#replies.owes(thread),
      onSilent: (thread) => this.terminate(silent(thread, size, timeout)),
    });
  }

  /** The error that ended the threads; `undefined` while they work. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Sends a request to a thread, without waiting for a reply. After a failure of the pool, it does nothing. */
  send(thread: number, request: WorkerRequest): void {
    if (this.#held !== undefined) this.#held.push([thread, request]);
    else this.#send(thread, request);
  }

  /** Sends a request to the first `threads` threads, and resolves to their replies. */
  request(
    threads: number,
    request: (ticket: number, thread: number) => WorkerRequest,
  ): Promise<readonly ReplyValue[]> {
    return this.#request(threads, request, (thread, request) => this.send(thread, request));
  }

  /**
   * Runs `work`, which sends several requests, each after the reply to the previous one. Other requests are held back
   * until `work` has settled.
   */
  runExclusive<T>(work: (send: SendRequest) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    promise.catch(() => {}); // avoids an unhandled rejection; a caller that awaits the work gets the error
    const send: SendRequest = (threads, request) => {
      const values = this.#request(threads, request, (thread, request) => {
        this.#send(thread, request);
      });
      this.flush();
      return values;
    };
    const job = () => work(send).then(resolve, reject);
    if (this.#held !== undefined) this.#held.push(job);
    else this.#hold(job);
    return promise;
  }

  /** Posts all queued requests, except those held back. */
  flush(): void {
    this.#isSending = false;
    for (const thread of this.#threads) thread?.flush();
  }

  /** Ends all threads, and rejects all pending requests with the error. Later calls do nothing. */
  terminate(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#watchdog.stop();
    for (const thread of this.#threads) thread?.terminate();
    this.#replies.rejectAll(error);
  }

  #request(
    threads: number,
    request: (ticket: number, thread: number) => WorkerRequest,
    send: (thread: number, request: WorkerRequest) => void,
  ): Promise<readonly ReplyValue[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { ticket, values } = this.#replies.open(threads);
    values.catch(() => {}); // avoids an unhandled rejection; a caller that awaits the values gets the error
    this.#watchdog.watch();
    for (let thread = 0; thread < threads; thread++) send(thread, request(ticket, thread));
    return values;
  }

  #send(number: number, request: WorkerRequest): void {
    if (this.#failure !== undefined) return;
    const thread = this.#threads[number] ??= this.#started(number);
    thread.post(request);
    if (this.#isSending) return;
    this.#isSending = true;
    queueMicrotask(() => this.#isSending && this.flush());
  }

  #started(number: number): WorkerThread {
    return new WorkerThread(this.#start(), number, {
      onMessage: (thread, isWaiting) => this.#watchdog.hear(thread, isWaiting),
      onReply: (thread, ticket, value) => this.#replies.settle(thread, ticket, value),
      onFailure: (error) => this.terminate(failureOf(error)),
    });
  }

  #hold(job: () => Promise<void>): void {
    this.#held ??= [];
    job().then(() => this.#release()).catch((error) => this.terminate(failureOf(error)));
  }

  /** Sends the requests that were held back, in order, until one of them is exclusive work. */
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
    `Cannot continue on threads: a thread failed: ${cause.message}`,
    { backend: "wasm", reason, during: "run", cause },
  );
}

function silent(thread: number, size: number, timeout: number): BackendUnavailableError {
  return new BackendUnavailableError(
    `Cannot continue on threads: thread ${thread + 1} of ${size} did not respond for ` +
      `${timeout} ms. Resume the run from its last checkpoint. If one step takes longer than that, ` +
      `pass a larger timeout to openThreads()`,
    { backend: "wasm", reason: "hung", during: "run" },
  );
}
