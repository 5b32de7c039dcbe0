/**
 * The pace of a loop: how many steps run in one call, and when the loop yields to the event loop.
 *
 * @module
 */

import { hop } from "../../base/sequence.ts";

// A multi-step call should not take longer: Ctrl-C and `stop` are noticed only between calls.
const LONG_MS = 50;
// Backends load a large batch into the cache once per call, part by part. Calls of a few steps would wait for memory
// most of the time, so calls up to this number of steps may take longer.
const FEW_STEPS = 16, LONGEST_MS = 250;

// Number of short calls without a reading of the clock after one with it: two readings cost as much as a small step.
const UNTIMED = 7;

/**
 * Picks how many steps to run in one call when no hook is due, so that a call takes up to 50 ms. If steps are
 * long, a call has up to 16 of them and takes up to 250 ms.
 */
export class MultiStepLength {
  // The first call is short, because nothing is known about its steps: those of a large batch take tens of milliseconds.
  #longest = FEW_STEPS;
  #untimed = 0;

  /** Returns the number of steps of the next call, at most `free`. */
  next(free: number): number {
    return Math.min(free, this.#longest);
  }

  /** Returns whether to time the next call, of `steps` steps, for `took`: each of full length, and some shorter ones. */
  isTimed(steps: number): boolean {
    if (steps < this.#longest && this.#untimed-- > 0) return false;
    this.#untimed = UNTIMED;
    return true;
  }

  /** Adjusts the number of steps per call, after a call of `steps` steps took `milliseconds` ms. */
  took(steps: number, milliseconds: number): void {
    const perStep = milliseconds / steps;
    const most = Math.max(LONG_MS / perStep, Math.min(FEW_STEPS, LONGEST_MS / perStep));
    // Also short calls show that the longest one would take too long. If hooks keep calls short and then leave, the next
    // call would otherwise block the event loop for seconds.
    if (most < this.#longest) this.#longest = Math.max(1, Math.floor(most));
    // Only a call of full length shows that longer calls would still be short enough.
    else if (steps === this.#longest) this.#longest = Math.min(2 * steps, Math.floor(most));
  }
}

// Rare enough that its cost is negligible, frequent enough for Ctrl-C and for a page that repaints.
const TURN_MS = 50;
// Reading the clock costs as much as a small step, so up to this many steps run between two readings. It is not larger,
// because the steps of a stream may suddenly become a thousand times longer.
const LONGEST_STRIDE = 32;

/**
 * Yields to the event loop about every 50 ms, so that signals, timers and deliveries are handled. `hop` takes
 * microseconds.
 */
export class Turn {
  #given = performance.now();
  #looked = this.#given;
  #stride = 1;
  #left = 1;

  /**
   * Counts `steps` steps that were run in one call. Returns a promise to await if it is time to yield, otherwise
   * `undefined`. Call it between steps.
   */
  give(steps: number): Promise<void> | undefined {
    this.#left -= steps;
    if (this.#left > 0) return undefined;
    const now = performance.now();
    // Adapts the number of steps between two readings of the clock, so that it is read every few milliseconds.
    this.#stride = now - this.#looked < 2
      ? Math.min(this.#stride * 2, LONGEST_STRIDE)
      : Math.max(this.#stride >> 1, 1);
    this.#left = this.#stride;
    this.#looked = now;
    if (now - this.#given < TURN_MS) return undefined;
    this.#given = now;
    return hop();
  }
}
