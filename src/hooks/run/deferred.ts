/**
 * What is still on its way: reads of observers, openings, closings.
 *
 * @module
 */

import { isThenable } from "../../base/sequence.ts";

// So many stages' reads may be under way before the engine waits for the older half: a device has the other to do then.
const MOST_UNDER_WAY = 64;

/** A queue that hands out what it waits for in the order in which it was asked for. */
export class DeferredQueue {
  #tail: Promise<void> = Promise.resolve();
  /** Deliveries under way, in their order. */
  readonly #underWay: Promise<void>[] = [];
  #length = 0;
  #failure: { readonly error: unknown } | undefined;
  #isCut = false;
  /** Ends the waiting for what is handed out next. */
  #wake: (() => void) | undefined;

  /** Is all that is under way dropped? */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Drops all that is under way, and all that comes until `resume`: whoever waits for it is handed nothing. */
  cut(): void {
    this.#isCut = true;
    this.#wake?.();
  }

  /** Delivers again. */
  resume(): void {
    this.#isCut = false;
  }

  /** Drops all that is under way, with what was wrong with it, and delivers again. */
  async drop(): Promise<void> {
    this.cut();
    await this.idle();
    this.#failure = undefined;
    this.resume();
  }

  /** How many deliveries are under way. */
  get length(): number {
    return this.#length;
  }

  /**
   * Delivers once the values are there and all earlier deliveries are done; nothing, once the queue is cut. Values that
   * fail to come cut it: what was to come after them would be out of order. Answers with something to await when too
   * many are under way.
   */
  push<T>(
    values: PromiseLike<T>,
    deliver: (values: T | undefined) => unknown,
  ): PromiseLike<void> | undefined {
    this.#length++;
    const before = this.#tail;
    this.#tail = (async () => {
      // Settled before the queue reaches it, a failed read would count as unhandled.
      const settled = Promise.resolve(values).then((value) => ({ value }), (error) => ({ error }));
      await before;
      try {
        const read = this.#isCut ? undefined : await this.#soonest(settled);
        const isGone = read !== undefined && "error" in read;
        if (isGone) this.cut();
        const result = deliver(this.#isCut || isGone ? undefined : read?.value);
        if (isThenable(result)) await result;
        if (isGone) throw read.error;
      } catch (error) {
        this.#failure ??= { error };
      } finally {
        this.#length--;
        this.#underWay.shift();
      }
    })();
    this.#underWay.push(this.#tail);
    return this.#length > MOST_UNDER_WAY ? this.#underWay[MOST_UNDER_WAY / 2] : undefined;
  }

  /** What comes, or nothing, as soon as the queue is cut: it may never come. */
  #soonest<T>(coming: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      coming.then(resolve);
    });
  }

  /** Settled when everything pushed so far is done. */
  get soFar(): Promise<void> {
    return this.#tail;
  }

  /** Throws what a delivery threw, once. */
  check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /** Waits until everything is delivered, then checks. */
  async flush(): Promise<void> {
    await this.idle();
    this.check();
  }

  /** Settled when there is nothing under way. */
  async idle(): Promise<void> {
    while (this.#length > 0) await this.#tail;
  }
}
