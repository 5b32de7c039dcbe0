/**
 * The pace of a loop: how many steps run in one call, and when the event loop has a turn.
 *
 * @module
 */

import { hop } from "../../base/sequence.ts";

// A multi-step call should take about this long: Ctrl-C and `stop` are noticed between two calls.
const SHORT_MS = 25, LONG_MS = 50;

/** Picks how many steps to run in one call when no hook is due: as many as take about one turn of the event loop. */
export class MultiStepLength {
  #longest: number;

  /** Starts with calls of `first` steps. */
  constructor(first: number = 1024) {
    this.#longest = first;
  }

  /** Returns the length of the next call if `free` steps may run. */
  next(free: number): number {
    return Math.min(free, this.#longest);
  }

  /** Adapts the length to a call that ran `steps` steps in `milliseconds` ms. */
  took(steps: number, milliseconds: number): void {
    // A shortened call says nothing about longer ones.
    if (milliseconds < SHORT_MS && steps === this.#longest) this.#longest *= 2;
    else if (milliseconds > LONG_MS) this.#longest = Math.max(1, Math.floor(this.#longest / 2));
  }
}

// Rarely enough to cost nothing, often enough for Ctrl-C and a page that repaints.
const TURN_MS = 50;
// Reading the clock costs as much as a small step, so it is not read at each.
const LONGEST_STRIDE = 4096;

/**
 * Yields to the event loop about every 50 ms, for signals, timers and deliveries. A message hop costs microseconds, a
 * timer milliseconds.
 */
export class Turn {
  #given = performance.now();
  #looked = this.#given;
  #stride = 1;
  #left = 1;

  /** Returns a promise when it is time to yield. */
  give(): Promise<void> | undefined {
    if (--this.#left > 0) return undefined;
    const now = performance.now();
    // Many small steps between two looks, or one large one: a look every few milliseconds.
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
