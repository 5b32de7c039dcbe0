/**
 * Means of correlated samples, and their standard errors.
 *
 * @module
 */

import { areNumbers, type Collected } from "./observed_systems.ts";

/** Largest number of blocks. If it is reached, pairs of blocks are merged. */
const MAX_BLOCKS = 128;

/** Means, and their standard errors. */
export interface Averages {
  /** Means of all samples. */
  readonly mean: Float64Array;
  /** Standard error of each mean, from the complete blocks; NaN with fewer than two blocks. */
  readonly error: Float64Array;
  /** Number of samples. */
  readonly samples: number;
  /** Number of complete blocks. */
  readonly blocks: number;
  /** Number of samples in each complete block. */
  readonly blockSize: number;
}

/**
 * Block averages of several values (H. Flyvbjerg, H. G. Petersen, J. Chem. Phys. 91, 461, 1989). Successive samples
 * are correlated, so their scatter underestimates the error of the mean. Means of blocks that are longer than the
 * correlation time are independent: the error is their standard deviation over the square root of their number.
 */
export class BlockAverage implements Collected {
  readonly #width: number;
  /** Sums over each complete block, one block of `width` numbers after another. */
  readonly #sums: Float64Array;
  /** Sums over the incomplete block. */
  readonly #open: Float64Array;
  #blockSize: number;
  #blocks = 0;
  #begun = 0;

  constructor(width: number, blockSize: number) {
    this.#width = width;
    this.#blockSize = blockSize;
    this.#sums = new Float64Array(MAX_BLOCKS * width);
    this.#open = new Float64Array(width);
  }

  /** Returns the averages of a state that `save` returned; `undefined` for any other value. */
  static restore(
    saved: Readonly<Record<string, unknown>>,
    width: number,
  ): BlockAverage | undefined {
    const { blockSize, blocks, begun } = saved;
    const isRead = [blockSize, blocks, begun].every((x) => typeof x === "number") &&
      areNumbers(saved, { sums: MAX_BLOCKS * width, open: width });
    if (!isRead) return undefined;
    const one = new BlockAverage(width, blockSize as number);
    one.#sums.set(saved.sums as Float64Array);
    one.#open.set(saved.open as Float64Array);
    one.#blocks = blocks as number;
    one.#begun = begun as number;
    return one;
  }

  /** Adds one sample of all values. */
  add(values: Float64Array): void {
    for (let k = 0; k < this.#width; k++) this.#open[k]! += values[k]!;
    if (++this.#begun < this.#blockSize) return;
    this.#sums.set(this.#open, this.#width * this.#blocks++);
    this.#open.fill(0);
    this.#begun = 0;
    if (this.#blocks === MAX_BLOCKS) this.#mergeBlocks();
  }

  get result(): Averages {
    const [width, blocks, size] = [this.#width, this.#blocks, this.#blockSize];
    const samples = blocks * size + this.#begun, all = this.#open.slice();
    for (let i = 0; i < width * blocks; i++) all[i % width]! += this.#sums[i]!;
    const whole = all.map((sum, k) => (sum - this.#open[k]!) / (blocks * size));
    const squares = new Float64Array(width);
    for (let i = 0; i < width * blocks; i++) {
      squares[i % width]! += (this.#sums[i]! / size - whole[i % width]!) ** 2;
    }
    // Standard error of the mean of independent blocks: s / √n, s² = Σ (block − mean)² / (n − 1).
    const error = squares.map((sum) => blocks < 2 ? NaN : Math.sqrt(sum / (blocks - 1) / blocks));
    return { mean: all.map((sum) => sum / samples), error, samples, blocks, blockSize: size };
  }

  save(): Readonly<Record<string, unknown>> {
    const [blockSize, blocks, begun] = [this.#blockSize, this.#blocks, this.#begun];
    return { blockSize, blocks, begun, sums: this.#sums.slice(), open: this.#open.slice() };
  }

  /** Merges pairs of blocks: half as many blocks of twice the size. */
  #mergeBlocks(): void {
    const width = this.#width;
    for (let i = 0; i < width * MAX_BLOCKS / 2; i++) {
      const block = Math.floor(i / width), k = i % width;
      this.#sums[i] = this.#sums[2 * block * width + k]! + this.#sums[(2 * block + 1) * width + k]!;
    }
    this.#blocks = MAX_BLOCKS / 2;
    this.#blockSize *= 2;
  }
}
