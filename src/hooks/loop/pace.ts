/**
 * The pace of a loop: how many steps run in one call, and when the loop yields to the event loop.
 *
 * @module
 */

import { hop } from "../../base/sequence.ts";

// A multi-step call should take between these two times: Ctrl-C and `stop` are noticed only between calls.
const SHORT_MS = 25, LONG_MS = 50;

/** Picks how many steps to run in one call when no hook is due, so that a call takes about 25 to 50 ms. */
export class MultiStepLength {
  #longest: number;

  /** Starts with calls of up to `first` steps. */
  constructor(first: number = 1024) {
    this.#longest = first;
  }

  /** Returns the number of steps of the next call, at most `free`. */
  next(free: number): number {
    return Math.min(free, this.#longest);
  }

  /** Doubles or halves the number of steps per call, after a call of `steps` steps took `milliseconds` ms. */
  took(steps: number, milliseconds: number): void {
    // Only a call of full length shows that longer calls would still be short enough.
    if (milliseconds < SHORT_MS && steps === this.#longest) this.#longest *= 2;
    else if (milliseconds > LONG_MS) this.#longest = Math.max(1, Math.floor(this.#longest / 2));
  }
}

// Rare enough that its cost is negligible, frequent enough for Ctrl-C and for a page that repaints.
const TURN_MS = 50;
// Reading the clock costs as much as a small step, so up to this many steps run between two readings.
const LONGEST_STRIDE = 4096;

/**
 * Yields to the event loop about every 50 ms, so that signals, timers and deliveries are handled. It yields by a
 * message, which takes microseconds; a timer takes milliseconds.
 */
export class Turn {
  #given = performance.now();
  #looked = this.#given;
  #stride = 1;
  #left = 1;

  /** Counts a step. Returns a promise to await if it is time to yield, otherwise `undefined`. Call it between steps. */
  give(): Promise<void> | undefined {
    if (--this.#left > 0) return undefined;
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
