/**
 * A bounded buffer of transitions with their times.
 *
 * @module
 */

import type { Milliseconds, Transition, TransitionOutput } from "./transition.ts";

// Initial size. It doubles up to the capacity.
const FIRST_SIZE = 1024;

/** A ring buffer of columns. If it is full, the newest transition replaces the oldest, which is counted as dropped. */
export class TraceBuffer implements TransitionOutput {
  /** Largest number of transitions that are kept. */
  readonly capacity: number;
  #index: Uint32Array = new Uint32Array(0);
  #start: Float64Array = new Float64Array(0);
  #end: Float64Array = new Float64Array(0);
  #step: Float64Array = new Float64Array(0);
  #total = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Number of transitions in the buffer. */
  get length(): number {
    return Math.min(this.#total, this.capacity);
  }

  /** Number of transitions that were dropped. */
  get dropped(): number {
    return this.#total - this.length;
  }

  open(): void {}

  stage(): void {}

  close(): void {}

  transition({ index }: Transition, start: Milliseconds, end: Milliseconds, step: number): void {
    const at = this.#total % this.capacity;
    if (at >= this.#index.length) this.#grow();
    this.#index[at] = index;
    this.#start[at] = start;
    this.#end[at] = end;
    this.#step[at] = step;
    this.#total++;
  }

  /**
   * Calls `make` for each transition from the oldest to the newest, and returns the results. `index` is the index of
   * the transition among all transitions of the profiler.
   */
  map<T>(make: (index: number, start: Milliseconds, end: Milliseconds, step: number) => T): T[] {
    const oldest = this.dropped % this.capacity;
    return Array.from({ length: this.length }, (_, i) => {
      const at = (oldest + i) % this.capacity;
      return make(this.#index[at]!, this.#start[at]!, this.#end[at]!, this.#step[at]!);
    });
  }

  #grow(): void {
    const size = Math.min(Math.max(FIRST_SIZE, 2 * this.#index.length), this.capacity);
    const index = new Uint32Array(size);
    index.set(this.#index);
    this.#index = index;
    this.#start = grown(this.#start, size);
    this.#end = grown(this.#end, size);
    this.#step = grown(this.#step, size);
  }
}

function grown(column: Float64Array, size: number): Float64Array {
  const larger = new Float64Array(size);
  larger.set(column);
  return larger;
}
