/**
 * Scalars of a run as columns, with the extremes of blocks, so that a chart of a million points draws few of them.
 *
 * @module
 */

/** Points of a block whose extremes are kept. */
const BLOCK = 64;

/** Values of one scalar, and the steps they belong to, in order. */
export class Series {
  #steps: Float64Array<ArrayBuffer> = new Float64Array(256);
  #values: Float64Array<ArrayBuffer> = new Float64Array(256);
  /** Index of the smallest and of the largest value of each full block; −1 if all are missing. */
  readonly #lows: number[] = [];
  readonly #highs: number[] = [];
  #length = 0;
  #range: [low: number, high: number] = [Infinity, -Infinity];

  /** Number of points. */
  get length(): number {
    return this.#length;
  }

  /** Steps of the points. The view is valid until the next point. */
  get steps(): Float64Array {
    return this.#steps.subarray(0, this.#length);
  }

  /** Values of the points, NaN if they are missing. The view is valid until the next point. */
  get values(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }

  /** Last value that is not missing. */
  get last(): number | undefined {
    for (let i = this.#length - 1; i >= 0; i--) {
      if (!Number.isNaN(this.#values[i])) return this.#values[i];
    }
    return undefined;
  }

  /** Smallest and largest finite value so far, also of points that were removed. */
  get range(): readonly [low: number, high: number] {
    return this.#range;
  }

  /** Adds a point. Points at its step and after it are removed. */
  add(step: number, value: number): void {
    this.cut(step);
    if (Number.isFinite(value)) {
      this.#range = [Math.min(value, this.#range[0]), Math.max(value, this.#range[1])];
    }
    if (this.#length === this.#steps.length) this.#grow();
    this.#steps[this.#length] = step;
    this.#values[this.#length++] = value;
    if (this.#length % BLOCK === 0) this.#close(this.#length);
  }

  /** Removes the points at a step and after it. */
  cut(step: number): void {
    if (this.#length === 0 || this.#steps[this.#length - 1]! < step) return;
    this.#length = this.indexOf(step);
    this.#lows.length = this.#highs.length = Math.floor(this.#length / BLOCK);
  }

  /** Returns the index of the first point at or after a step. */
  indexOf(step: number): number {
    let low = 0, high = this.#length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#steps[middle]! < step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the index of the point nearest to a step; −1 if there are no points. */
  nearest(step: number): number {
    const after = this.indexOf(step);
    if (after === this.#length) return after - 1;
    if (after === 0) return 0;
    return step - this.#steps[after - 1]! <= this.#steps[after]! - step ? after - 1 : after;
  }

  /**
   * Returns the indices of points to draw between two indices: all if there are few, otherwise the ends, and the smallest
   * and the largest value of each of `buckets` parts, in order.
   */
  outline(from: number, to: number, buckets: number): number[] {
    if (to - from <= 2 * buckets) return Array.from({ length: to - from }, (_, i) => from + i);
    const kept: number[] = [from];
    const size = (to - from) / buckets;
    for (let bucket = 0; bucket < buckets; bucket++) {
      const start = from + Math.floor(bucket * size), end = from + Math.floor((bucket + 1) * size);
      const [low, high] = this.#extremes(start, end);
      if (low < 0) continue;
      kept.push(Math.min(low, high), Math.max(low, high));
    }
    kept.push(to - 1);
    return kept.filter((index, i) => i === 0 || index > kept[i - 1]!);
  }

  /** Returns the indices of the smallest and the largest value of a part, from whole blocks where there are some. */
  #extremes(start: number, end: number): [low: number, high: number] {
    let low = -1, high = -1;
    const values = this.#values;
    const see = (index: number) => {
      if (index < 0 || Number.isNaN(values[index])) return;
      if (low < 0 || values[index]! < values[low]!) low = index;
      if (high < 0 || values[index]! > values[high]!) high = index;
    };
    for (let i = start; i < end;) {
      const block = i / BLOCK;
      if (i % BLOCK === 0 && i + BLOCK <= end && block < this.#lows.length) {
        see(this.#lows[block]!);
        see(this.#highs[block]!);
        i += BLOCK;
      } else see(i++);
    }
    return [low, high];
  }

  /** Keeps the extremes of the block that ends at `end`. */
  #close(end: number): void {
    const block = end / BLOCK - 1;
    const [low, high] = this.#extremes(end - BLOCK, end);
    this.#lows[block] = low;
    this.#highs[block] = high;
  }

  #grow(): void {
    const steps = new Float64Array(2 * this.#steps.length);
    const values = new Float64Array(2 * this.#values.length);
    steps.set(this.#steps);
    values.set(this.#values);
    this.#steps = steps;
    this.#values = values;
  }
}
