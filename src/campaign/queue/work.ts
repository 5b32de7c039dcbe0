/**
 * The loop of a worker: it takes items, has them computed, and acknowledges those whose results are durable.
 *
 * @module
 */

import { reasonOf } from "./connection.ts";
import type { WorkCounts } from "./counts.ts";
import { Heart } from "./heart.ts";
import { within } from "./patience.ts";
import { type QueuePriority, readItemSubject } from "./names.ts";
import type { WorkOptions } from "./options.ts";
import { decodeItem, type QueueItem } from "./publish.ts";
import { type Delivery, Puller, type PullError } from "./pull.ts";
import type { Queue } from "./queue.ts";
import { forgetTries, noteTry, readTries, setAside, type Tries } from "./tries.ts";

/** An item without a result. */
export interface ItemFailure {
  readonly reason: string;
  /**
   * Next action: `"again"` tries the item again, and sets it aside after too many tries; `"aside"` sets it aside at
   * once; `"elsewhere"` gives it back for a worker that has what this one lacks.
   */
  readonly then: "again" | "aside" | "elsewhere";
}

/** Computes items for the loop of a worker. */
export interface QueueHandler {
  /**
   * Returns whether an item has a durable result.
   *
   * @param isRepeated true if another worker may have computed the item
   */
  has(id: string, isRepeated: boolean): boolean | Promise<boolean>;
  /**
   * Computes items, and stores their results. Resolves when the results are durable, with a failure for each item
   * without a result. If it throws, the worker gives all items back and ends.
   */
  run(items: readonly QueueItem[], signal: AbortSignal): Promise<ReadonlyMap<string, ItemFailure>>;
}

/** Time that a batch should take, ms: long items are not held back in a batch, short ones share the costs of one. */
const BATCH_TIME = 500;

/** Delay of an item that another worker should take, in units of the delay before a second try. */
const ELSEWHERE = 10;

/** An item with the message that it came in. */
interface Task {
  readonly item: QueueItem;
  readonly priority: QueuePriority;
  readonly delivery: Delivery;
}

/**
 * Takes items from a queue until `signal` aborts.
 *
 * @throws {Error} if the connection lacks a permission
 * @throws {Error} if the handler throws; the items are given back
 */
export async function workQueue(
  queue: Queue,
  handler: QueueHandler,
  options: WorkOptions,
): Promise<WorkCounts> {
  const worker = new Worker(queue, handler, options);
  try {
    await worker.run();
  } finally {
    // Acknowledgements that are lost only cost a look into the store.
    await within(2000, queue.nats.flush());
  }
  return worker.counts;
}

class Worker {
  readonly counts: WorkCounts = { done: 0, known: 0, failed: 0, aside: 0, foreign: 0, left: 0 };
  readonly #queue: Queue;
  readonly #handler: QueueHandler;
  readonly #options: Required<WorkOptions>;
  readonly #puller: Puller;
  /** Messages without an answer. */
  readonly #held = new Set<Delivery>();
  /** Ids of items that this worker cannot compute. */
  readonly #left = new Set<string>();
  #size = 1;
  #isWaiting = false;
  /** True if the current round had an item that the worker has not left before. */
  #hasProgressed = false;
  /** True after an error of the handler, which ends the worker. */
  #isBroken = false;

  constructor(queue: Queue, handler: QueueHandler, options: WorkOptions) {
    this.#queue = queue;
    this.#handler = handler;
    this.#puller = new Puller(queue);
    this.#options = {
      tries: 5,
      batch: 256,
      retryDelay: 1000,
      untilEmpty: false,
      abort: new AbortController().signal,
      onEvent: () => {},
      ...options,
    };
  }

  async run(): Promise<void> {
    const { signal, untilEmpty } = this.#options;
    const heart = new Heart(this.#queue, () => this.#held.forEach((one) => one.working()));
    try {
      while (!signal.aborted) {
        try {
          const deliveries = await this.#puller.next(this.#size, untilEmpty ? 250 : 5000, signal);
          for (const delivery of deliveries) this.#held.add(delivery);
          this.#isWaiting = false;
          if (deliveries.length > 0) await heart.start();
          // With a short delay, items that this worker has left come back before the queue seems empty.
          this.#hasProgressed = false;
          await this.#process(deliveries);
          if (untilEmpty && !this.#hasProgressed && await this.#isEmpty()) return;
        } catch (error) {
          heart.stop();
          if (this.#isBroken || (error as Partial<PullError>).isForbidden) throw error;
          await this.#recover(error);
        }
      }
    } finally {
      heart.stop();
      for (const delivery of [...this.#held, ...this.#puller.leftover()]) delivery.giveBack();
    }
  }

  /** Waits for a server that does not answer, and creates the queue if it has lost its disk. */
  async #recover(error: unknown): Promise<void> {
    const { signal, onEvent } = this.#options;
    if (!this.#isWaiting) onEvent({ type: "waiting", reason: reasonOf(error) });
    this.#isWaiting = true;
    for (const delivery of this.#held) this.#answer(delivery, () => delivery.giveBack());
    await pause(500, signal);
    await this.#queue.create().catch(() => {}); // the next request shows whether it exists
  }

  async #isEmpty(): Promise<boolean> {
    const { state } = await this.#queue.manager.streams.info(this.#queue.names.items);
    return state.messages <= this.#left.size;
  }

  async #process(deliveries: readonly Delivery[]): Promise<void> {
    const begun = performance.now();
    const tasks: Task[] = [];
    for (const delivery of deliveries) {
      const task = this.#read(delivery);
      if (task === undefined) continue;
      if (await this.#handle(() => this.#handler.has(task.item.id, delivery.count > 1))) {
        this.counts.known++;
        this.#reclaim(task.item.id);
        this.#answer(delivery, () => delivery.ack());
      } else tasks.push(task);
    }
    await this.#runFresh(tasks.filter(({ delivery }) => delivery.count === 1));
    for (const task of tasks.filter(({ delivery }) => delivery.count > 1)) {
      if (this.#options.signal.aborted) return;
      await this.#runAgain(task);
    }
    const perItem = (performance.now() - begun) / Math.max(1, tasks.length);
    const fitting = Math.floor(BATCH_TIME / Math.max(perItem, 1e-3));
    this.#size = Math.max(1, Math.min(fitting, 4 * this.#size, this.#options.batch));
  }

  #compute(items: readonly QueueItem[]): Promise<ReadonlyMap<string, ItemFailure>> {
    return this.#handle(() => this.#handler.run(items, this.#options.abort));
  }

  /** Calls the handler, whose errors end the worker. */
  async #handle<T>(call: () => T | Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  #answer(delivery: Delivery, answer: () => void): void {
    answer();
    this.#held.delete(delivery);
  }

  /** Returns the item of a message. A message without one is removed from the queue. */
  #read(delivery: Delivery): Task | undefined {
    const { subject, data } = delivery;
    try {
      const place = readItemSubject(subject);
      if (place === undefined) {
        throw new SyntaxError("Cannot read the message: its subject has no id");
      }
      if (data.length > this.#queue.maxBytes) {
        throw new SyntaxError(`Cannot read the message: it has ${data.length} bytes`);
      }
      const item = decodeItem(data);
      if (item.id === place.id) return { item, priority: place.priority, delivery };
      throw new SyntaxError("Cannot read the message: its subject has the id of another item");
    } catch (error) {
      const reason = reasonOf(error);
      this.counts.foreign++;
      this.#answer(delivery, () => delivery.terminate(reason));
      this.#options.onEvent({ type: "foreign", subject: subject.slice(0, 200), reason });
      return undefined;
    }
  }

  /** Runs items that were never delivered before, as one batch. */
  async #runFresh(tasks: readonly Task[]): Promise<void> {
    if (tasks.length === 0) return;
    const failures = await this.#compute(tasks.map(({ item }) => item));
    if (this.#options.abort.aborted) return;
    for (const task of tasks) {
      const failure = failures.get(task.item.id);
      if (failure === undefined) this.#done(task);
      else await this.#failed(task, failure, { count: 0, error: "" });
    }
  }

  /** Runs an item that a worker had before, alone. */
  async #runAgain(task: Task): Promise<void> {
    const { item } = task, { tries, abort } = this.#options;
    const before = await readTries(this.#queue, item.id);
    if (before.count >= tries) return await this.#aside(task, before);
    await noteTry(this.#queue, item.id, { count: before.count + 1 });
    const failure = (await this.#compute([item])).get(item.id);
    if (abort.aborted) return await noteTry(this.#queue, item.id, before);
    if (failure !== undefined) return await this.#failed(task, failure, before);
    this.#done(task);
    await forgetTries(this.#queue, item.id);
  }

  /** Notes that an item, which the worker may have left before, is its own. */
  #reclaim(id: string): void {
    this.#hasProgressed = true;
    this.#left.delete(id);
    this.counts.left = this.#left.size;
  }

  #done({ item: { id, label }, delivery }: Task): void {
    this.counts.done++;
    this.#reclaim(id);
    this.#answer(delivery, () => delivery.ack());
    this.#options.onEvent({ type: "done", id, label });
  }

  async #failed(task: Task, { reason, then }: ItemFailure, before: Tries): Promise<void> {
    const { item: { id, label }, delivery } = task, { tries, retryDelay, onEvent } = this.#options;
    const tried = { count: before.count + 1, error: reason };
    if (then === "elsewhere") {
      if (delivery.count > 1) await noteTry(this.#queue, id, before);
      this.#hasProgressed ||= !this.#left.has(id);
      this.#left.add(id);
      this.counts.left = this.#left.size;
      this.#answer(delivery, () => delivery.giveBack(ELSEWHERE * retryDelay));
      return onEvent({ type: "elsewhere", id, label, reason });
    }
    this.#reclaim(id);
    this.counts.failed++;
    if (then === "aside" || tried.count >= tries) return await this.#aside(task, tried);
    await noteTry(this.#queue, id, tried);
    this.#answer(delivery, () => delivery.giveBack(retryDelay * 2 ** before.count));
    onEvent({ type: "failed", id, label, reason });
  }

  async #aside({ item, priority, delivery }: Task, tries: Tries): Promise<void> {
    const { id, label } = item;
    await setAside(this.#queue, item, { priority, tries });
    this.counts.aside++;
    this.#answer(delivery, () => delivery.ack());
    this.#options.onEvent({ type: "aside", id, label, reason: tries.error });
    await forgetTries(this.#queue, id);
  }
}

/** Waits, at most until `signal` aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
