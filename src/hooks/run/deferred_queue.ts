/**
 * Deliveries in flight: reads of observers, openings, closings.
 *
 * @module
 */

import { isThenable } from "../../base/sequence.ts";

// With more deliveries in flight the engine waits for the older half; a device is busy with the other half meanwhile.
const MOST_UNDER_WAY = 64;

/** A queue that awaits values and delivers them in the order in which they were pushed. */
export class DeferredQueue {
  #tail: Promise<void> = Promise.resolve();
  /** Deliveries in flight, in order. */
  readonly #underWay: Promise<void>[] = [];
  #length = 0;
  #failure: { readonly error: unknown } | undefined;
  #isCut = false;
  /** Ends the wait for the next value. */
  #wake: (() => void) | undefined;

  /** True if everything in flight is dropped. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Drops everything in flight, and everything pushed until `resume`: it is delivered as `undefined`. */
  cut(): void {
    this.#isCut = true;
    this.#wake?.();
  }

  /** Delivers again. */
  resume(): void {
    this.#isCut = false;
  }

  /** Drops everything in flight, and its errors; then delivers again. */
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
   * Delivers the values once they have arrived and all earlier deliveries are done; `undefined` once the queue is cut.
   * Values that fail cut it, because later ones would be out of order. Returns a promise to await if too many are in
   * flight.
   */
  push<T>(
    values: PromiseLike<T>,
    deliver: (values: T | undefined) => unknown,
  ): PromiseLike<void> | undefined {
    this.#length++;
    const before = this.#tail;
    this.#tail = (async () => {
      // Caught at once: a read that fails before the queue reaches it would count as an unhandled rejection.
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

  /** Waits for a value, or until the queue is cut: the value may never arrive. */
  #soonest<T>(coming: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
      coming.then(resolve);
    });
  }

  /** Settles once everything pushed so far is delivered. */
  get soFar(): Promise<void> {
    return this.#tail;
  }

  /** Throws the error of a delivery, once. */
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

  /** Settles once nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#length > 0) await this.#tail;
  }
}
