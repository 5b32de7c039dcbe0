/**
 * A backend with a batch of systems, for testing kernels.
 *
 * @module
 */

import type { Backend, Buffer, FrameBuffers, KernelCall, Spread } from "../backend/backend.ts";
import { type BufferType, Control } from "../kernels/kernel.ts";
import { gaussians, philox } from "../kernels/philox.ts";

/** Options of a {@linkcode Lab}. */
export interface LabOptions {
  /**
   * 1 for each active system, 0 for each inactive one.
   *
   * @default all 1
   */
  readonly active?: readonly number[];
  /**
   * Ids of the systems.
   *
   * @default 7, 8, …
   */
  readonly ids?: readonly number[];
  /**
   * Ages of the systems, in steps.
   *
   * @default all 0
   */
  readonly ages?: readonly number[];
}

/** A backend with a frame of systems of the given sizes. It owns the backend, and disposes of it. */
export class Lab {
  /** Backend of all buffers. */
  readonly backend: Backend;
  /** Frame of the systems. */
  readonly frame: FrameBuffers;

  /** Creates a frame of systems with these numbers of atoms on a backend. */
  constructor(backend: Backend, sizes: readonly number[], options: LabOptions = {}) {
    this.backend = backend;
    const offsets = [0];
    for (const size of sizes) offsets.push(offsets.at(-1)! + size);
    this.frame = {
      systems: sizes.length,
      offsets: this.i32(offsets),
      active: this.i32(options.active ?? sizes.map(() => 1)),
      ids: this.i32(options.ids ?? sizes.map((_, i) => 7 + i)),
      ages: this.i32(options.ages ?? sizes.map(() => 0)),
      control: this.i32(new Array(Control.LENGTH).fill(0)),
    };
  }

  /**
   * Creates a buffer with these numbers. `spread` is the level to which its rows belong, for backends that distribute
   * them.
   */
  filled<D extends BufferType>(dtype: D, values: ArrayLike<number>, spread?: Spread): Buffer<D> {
    const buffer = this.backend.alloc(dtype, values.length, spread);
    this.backend.write(buffer, values);
    return buffer;
  }

  /** Creates a buffer of type `real`. */
  real(values: ArrayLike<number>, spread?: Spread): Buffer<"real"> {
    return this.filled("real", values, spread);
  }

  /** Creates a buffer of type `f64`. */
  f64(values: ArrayLike<number>, spread?: Spread): Buffer<"f64"> {
    return this.filled("f64", values, spread);
  }

  /** Creates a buffer of type `i32`. */
  i32(values: ArrayLike<number>, spread?: Spread): Buffer<"i32"> {
    return this.filled("i32", values, spread);
  }

  /**
   * Runs calls in order for a number of steps, the first of which has the index `first`. Returns the number of steps
   * that were run.
   */
  async run(calls: readonly KernelCall[], steps = 1, first = 0): Promise<number> {
    const program = this.backend.prepare(this.frame, calls);
    const done = await this.backend.run(program, first, steps);
    program.free();
    return done;
  }

  /** Returns the values of a buffer. */
  async read(buffer: Buffer): Promise<number[]> {
    return Array.from(await this.backend.read(buffer));
  }

  /** Returns the values of several buffers, in their order. */
  async readAll(buffers: readonly Buffer[]): Promise<number[][]> {
    const all: number[][] = [];
    for (const buffer of buffers) all.push(await this.read(buffer));
    return all;
  }

  /** Disposes of the backend. */
  [Symbol.dispose](): void {
    this.backend.dispose();
  }
}

/**
 * Returns `count` normally distributed numbers with mean 0 and standard deviation `width`, which are the same in
 * every run. They are rounded to float32, so that all backends start with identical values.
 */
export function normals(count: number, seed: number, width = 1): number[] {
  const words = new Uint32Array(4), four = new Float64Array(4);
  return Array.from({ length: count }, (_, i) => {
    if (i % 4 === 0) {
      philox(i, 0, 0, 99, seed, 0, words);
      gaussians(words, four);
    }
    return Math.fround(width * four[i % 4]!);
  });
}
