/**
 * A queue of deliveries in flight: reads of observers, openings and closings of hooks.
 *
 * @module
 */

import { isThenable } from "../../base/sequence.ts";

// With more deliveries in flight, the engine waits for the older half; the newer half keeps a device busy meanwhile.
const MOST_UNDER_WAY = 64;

/** A queue that awaits values and delivers them in the order in which they were pushed. */
export class DeferredQueue {
  #tail: Promise<void> = Promise.resolve();
  /** The promises of the deliveries in flight, oldest first. */
  readonly #underWay: Promise<void>[] = [];
  #length = 0;
  #failure: { readonly error: unknown } | undefined;
  #isCut = false;
  /** Ends the wait for the value of the current delivery; `undefined` before the first wait. */
  #wake: (() => void) | undefined;

  /** True if the queue is cut: values are dropped, and `deliver` receives `undefined`. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Drops the values in flight and all that are pushed until `resume`. Their `deliver` receives `undefined`. */
  cut(): void {
    this.#isCut = true;
    this.#wake?.();
  }

  /** Ends the effect of `cut`: values pushed from now on are delivered. */
  resume(): void {
    this.#isCut = false;
  }

  /** Drops all values in flight, and the error of a delivery. Values pushed afterwards are delivered. */
  async drop(): Promise<void> {
    this.cut();
    await this.idle();
    this.#failure = undefined;
    this.resume();
  }

  /** Number of deliveries in flight. */
  get length(): number {
    return this.#length;
  }

  /**
   * Calls `deliver` with the values once they have arrived and all earlier deliveries are done, or with `undefined`
   * if the queue is cut. If the values reject, the queue is cut, because later deliveries would be out of order.
   * Returns a promise to await if too many deliveries are in flight.
   */
  push<T>(
    values: PromiseLike<T>,
    deliver: (values: T | undefined) => unknown,
  ): PromiseLike<void> | undefined {
    this.#length++;
    const before = this.#tail;
    this.#tail = (async () => {
      // Errors are caught here, because a read that fails before its turn would count as an unhandled rejection.
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

  /** Waits for a value. Returns `undefined` as soon as the queue is cut, because the value may never arrive. */
  #soonest<T>(coming: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      coming.then(resolve);
    });
  }

  /** Promise that settles once everything pushed so far is delivered. */
  get soFar(): Promise<void> {
    return this.#tail;
  }

  /** Throws the first error of a delivery and forgets it. */
  check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /** Waits until everything is delivered. Throws the first error of a delivery. */
  async flush(): Promise<void> {
    await this.idle();
    this.check();
  }

  /** Settles once nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#length > 0) await this.#tail;
  }
}
