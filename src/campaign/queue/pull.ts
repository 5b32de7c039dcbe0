/**
 * Pulling of messages, by priority. A worker asks for as many as it can hold, so that its memory is bounded.
 *
 * @module
 */

import type { Msg, NatsConnection } from "./client.ts";
import { isAboutCheckpoints } from "./checkpoints.ts";
import { PRIORITIES, type QueuePriority } from "./names.ts";
import type { Queue } from "./queue.ts";

/** A message that the server has delivered, and that must be answered. */
export interface Delivery {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Deliveries of this message so far, with this one. */
  readonly count: number;
  /** Removes the message from the queue. */
  ack(): void;
  /** Gives the message back, for another delivery after `delay` ms. */
  giveBack(delay?: number): void;
  /** Reports that the item is still worked on. */
  working(): void;
  /** Removes the message from the queue because it cannot be processed. */
  terminate(reason: string): void;
}

/** Error of a request that the server refuses or does not answer. */
export interface PullError extends Error {
  /** True if the connection lacks a permission, so that waiting is useless. */
  readonly isForbidden: boolean;
}

function pullError(message: string, isForbidden: boolean = false): PullError {
  return Object.assign(new Error(message), { isForbidden });
}

/** Longest time without an answer, ms. The server answers at once if it has no messages. */
const SILENCE = 10_000;

/**
 * Longest time in which messages arrive after the end of the answer, ms. A cluster sends the end at once, and messages
 * after it has noted on several servers that it delivers them.
 */
const LATE = 5000;

/**
 * Largest size of all messages of a request, bytes. It bounds the memory of a worker, and is far below the 64 MB of
 * unread data at which a server drops a client.
 */
const MOST_BYTES = 8 << 20;

/** Room for the subject and the headers of the largest message, bytes. */
const ENVELOPE = 4096;

interface PullRequest {
  readonly batch: number;
  readonly max_bytes?: number;
  readonly no_wait?: true;
  /** Nanoseconds. */
  readonly expires?: number;
}

/** Pulls messages of all priorities. */
export class Puller {
  readonly #queue: Queue;
  readonly #arrived: Readonly<Record<QueuePriority, Delivery[]>> = {
    high: [],
    normal: [],
    low: [],
  };
  /** Requests that wait for a message. */
  readonly #waiting = new Map<QueuePriority, Promise<void>>();
  /** Ends requests that no longer get an answer. */
  readonly #open = new Set<(error?: Error) => void>();
  #wake: (() => void) | undefined;
  #refused: PullError | undefined;
  /** Connections that were lost. */
  #drops = 0;
  /** Size of the largest message, bytes: a request for less would never get it. */
  readonly #leastBytes: number;
  /** Largest size of all messages of the next request, bytes. */
  #bytes: number;

  constructor(queue: Queue) {
    this.#queue = queue;
    this.#leastBytes = queue.maxBytes + ENVELOPE;
    this.#bytes = Math.max(MOST_BYTES, this.#leastBytes);
    void this.#watch();
  }

  /** Returns messages that have arrived and that `next` has not returned. */
  leftover(): Delivery[] {
    return this.#take(Infinity);
  }

  /**
   * Returns at most `most` messages, those of higher priorities first. It waits `wait` ms for the first message, and
   * returns none if none came, or when `signal` aborts.
   *
   * @throws {Error} if the server refuses the request
   */
  async next(most: number, wait: number, signal: AbortSignal): Promise<Delivery[]> {
    for (const priority of PRIORITIES) {
      const missing = most - this.#count();
      if (missing > 0) await this.#pullSome(priority, missing);
    }
    if (this.#count() === 0 && !signal.aborted) await this.#wait(wait, signal);
    return this.#take(most);
  }

  /** Asks for messages that are there. After a lost connection, the server may have sent more than this process reads. */
  async #pullSome(priority: QueuePriority, batch: number): Promise<void> {
    const before = this.#drops, most = Math.max(MOST_BYTES, this.#leastBytes);
    await this.#pull(priority, { batch, max_bytes: this.#bytes, no_wait: true });
    this.#bytes = this.#drops > before
      ? Math.max(this.#bytes / 2, this.#leastBytes)
      : Math.min(this.#bytes * 1.1, most);
    this.#bytes = Math.floor(this.#bytes);
  }

  #count(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.#arrived[priority].length, 0);
  }

  #take(most: number): Delivery[] {
    const taken: Delivery[] = [];
    for (const priority of PRIORITIES) {
      taken.push(...this.#arrived[priority].splice(0, most - taken.length));
    }
    return taken;
  }

  /** Waits for the first message of any priority. Requests without a message stay open for the next call. */
  async #wait(wait: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    for (const priority of PRIORITIES) {
      if (this.#waiting.has(priority)) continue;
      const pulled = this.#pull(priority, { batch: 1, expires: wait * 1e6 })
        .finally(() => this.#waiting.delete(priority));
      pulled.catch(() => {}); // a later call may be the one that sees the error
      this.#waiting.set(priority, pulled);
    }
    await Promise.race([promise, Promise.all(this.#waiting.values())]);
    signal.removeEventListener("abort", wake);
  }

  /** Asks for messages, and waits until all have come or the server says that there are no more. */
  async #pull(priority: QueuePriority, request: PullRequest): Promise<void> {
    if (this.#refused !== undefined) throw this.#refused;
    const { nats, names, stream, inbox } = this.#queue;
    const reply = inbox(), { promise, resolve, reject } = Promise.withResolvers<void>();
    // Messages that have not arrived, and those of them that will not.
    let left = request.batch, missing = 0;
    const asked = nats.subscribe(reply, {
      callback: (error, message) => {
        if (error !== null) return end(pullError(error.message));
        if (!message.headers?.code) {
          this.#arrived[priority].push(deliveryOf(nats, message));
          this.#wake?.();
          if (--left === missing) end();
          return;
        }
        const refusal = refusalOf(message);
        missing = missingIn(message, left);
        if (refusal !== undefined || left === missing) return end(refusal);
        clearTimeout(timer);
        timer = setTimeout(end, LATE);
      },
    });
    let timer = setTimeout(
      () => end(pullError("the server does not answer")),
      (request.expires ?? 0) / 1e6 + SILENCE,
    );
    const end = (error?: Error) => {
      clearTimeout(timer);
      this.#open.delete(end);
      asked.unsubscribe();
      error === undefined ? resolve() : reject(error);
    };
    this.#open.add(end);
    const next = `${stream.apiPrefix}.CONSUMER.MSG.NEXT.${names.items}.${names.consumer(priority)}`;
    nats.publish(next, JSON.stringify(request), { reply });
    await promise;
  }

  /** Ends requests that a lost connection or a missing permission leaves without an answer. */
  async #watch(): Promise<void> {
    for await (const status of this.#queue.nats.status()) {
      if (status.type === "disconnect") this.#drops++;
      if (status.type === "reconnect") this.#end();
      if (status.type !== "error" || status.error.name !== "PermissionViolationError") continue;
      // Workers need not be able to create the queue; they try if it is missing.
      if (/\.(CREATE|DURABLE)\./.test(status.error.message)) continue;
      if (isAboutCheckpoints(status.error)) continue;
      this.#refused = pullError(status.error.message, true);
      this.#end(this.#refused);
    }
  }

  #end(error?: Error): void {
    for (const end of [...this.#open]) end(error);
  }
}

/** Returns the error in an answer without a message; undefined if it only says that there are no messages. */
function refusalOf({ headers }: Msg): PullError | undefined {
  const { code, description } = headers!;
  // 404: no messages; 408: the time is over; 409 with these texts: all were sent, or the next one would not fit.
  if (code === 404 || code === 408) return undefined;
  if (/exceeds maxbytes|batch completed/i.test(description)) return undefined;
  if (code === 503) {
    return pullError("the queue does not exist, or the server has no JetStream");
  }
  return pullError(`the server answers ${code} ${description}`);
}

/** Returns the number of messages that the server does not send, as it says at the end of its answer. */
function missingIn({ headers }: Msg, left: number): number {
  const text = headers!.get("Nats-Pending-Messages");
  return text === "" ? left : Number(text);
}

function deliveryOf(nats: NatsConnection, { subject, data, reply = "" }: Msg): Delivery {
  const answer = (text: string) => {
    // Without an answer, the server delivers the message again.
    if (!nats.isClosed()) nats.publish(reply, text);
  };
  return {
    subject,
    data,
    count: deliveriesIn(reply),
    ack: () => answer("+ACK"),
    giveBack: (delay = 0) => answer(`-NAK {"delay": ${Math.round(delay * 1e6)}}`),
    working: () => answer("+WPI"),
    terminate: (reason) => answer(`+TERM ${reason}`),
  };
}

/**
 * Returns the number of deliveries in the subject to which a message is acknowledged:
 * `$JS.ACK.<stream>.<consumer>.<deliveries>…`, with domain and account before the stream in the longer form.
 */
export function deliveriesIn(reply: string): number {
  const tokens = reply.split(".");
  const count = Number(tokens[tokens.length >= 11 ? 6 : 4]);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
