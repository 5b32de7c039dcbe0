/**
 * What is still on its way: reads of observers, openings, closings.
 *
 * @module
 */

import { isThenable } from "./thenable.ts";

// So many stages' reads may be under way before the engine waits for the oldest.
const MOST_UNDER_WAY = 64;

/** A queue that hands out what it waits for in the order in which it was asked for. */
export class DeferredQueue {
  #tail: Promise<void> = Promise.resolve();
  #length = 0;
  #failure: { readonly error: unknown } | undefined;
  #isCut = false;

  /** Is all that is under way dropped? */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Drops all that is under way, and all that comes until `resume`: whoever waits for it is handed nothing. */
  cut(): void {
    this.#isCut = true;
  }

  /** Delivers again. */
  resume(): void {
    this.#isCut = false;
  }

  /** How many deliveries are under way. */
  get length(): number {
    return this.#length;
  }

  /**
   * Delivers once the values are there and all earlier deliveries are done; nothing, once the queue is cut. Answers with
   * something to await when too many are under way.
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
        const read = this.#isCut ? { value: undefined } : await settled;
        if ("error" in read) throw read.error;
        const result = deliver(this.#isCut ? undefined : read.value);
        if (isThenable(result)) await result;
      } catch (error) {
        this.#failure ??= { error };
      } finally {
        this.#length--;
      }
    })();
    return this.#length > MOST_UNDER_WAY ? this.#tail : undefined;
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
    while (this.#length > 0) await this.#tail;
    this.check();
  }
}
