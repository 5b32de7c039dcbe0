import { type BufferType, Control } from "../../../kernels/kernel.ts";
import type { Backend, Buffer, FrameBuffers } from "../../backend.ts";

/**
 * Numbers of atoms of the systems: above and below the number of lanes of a workgroup, and zero, so that lanes leave
 * loops at different times. The last system is finished.
 */
const SIZES: readonly number[] = [65, 3, 0, 70, 5];

/** Distance between neighboring atoms in the samples, Å. */
const SPACING = 3.4;

/**
 * A batch of small systems on a backend, and buffers with sample numbers as arguments of kernels. The numbers are the
 * same on every backend.
 */
export class SampleBatch {
  readonly backend: Backend;
  readonly frame: FrameBuffers;
  /** Number of atoms of each system. */
  readonly sizes: readonly number[] = SIZES;
  #seed = 0;

  /** Creates the frame of the batch on the backend. */
  constructor(backend: Backend) {
    this.backend = backend;
    const offsets = [0];
    for (const size of SIZES) offsets.push(offsets.at(-1)! + size);
    this.frame = {
      systems: SIZES.length,
      offsets: this.make("i32", offsets),
      active: this.make("i32", SIZES.map((_, s) => s < SIZES.length - 1 ? 1 : 0)),
      ids: this.make("i32", SIZES.map((_, s) => 7 + s)),
      ages: this.make("i32", SIZES.map((_, s) => 10 * s)),
      control: this.make("i32", new Array(Control.LENGTH).fill(0)),
    };
  }

  /**
   * Creates a buffer with the given numbers, rounded to float32, so that every backend starts from the same numbers.
   */
  make<D extends BufferType>(dtype: D, values: readonly number[]): Buffer<D> {
    const buffer = this.backend.alloc(dtype, values.length);
    this.backend.write(buffer, values.map(Math.fround));
    return buffer;
  }

  /** Creates a buffer with `count` pseudorandom numbers for each atom, from `center - width` to `center + width`. */
  perAtom(count: number, width: number, center = 0): Buffer<"real"> {
    return this.make("real", this.#spread(count * this.atoms, width, center));
  }

  /** Creates a buffer with the numbers that `row` returns for each system. */
  perSystem<D extends BufferType>(dtype: D, row: (system: number) => readonly number[]): Buffer<D> {
    return this.make(dtype, SIZES.flatMap((_, s) => row(s)));
  }

  /** Creates a buffer with `count` pseudorandom numbers for each system, from `center - width` to `center + width`. */
  spreadPerSystem<D extends "real" | "f64">(
    dtype: D,
    count: number,
    width: number,
    center = 0,
  ): Buffer<D> {
    return this.make(dtype, this.#spread(count * SIZES.length, width, center));
  }

  /** Creates buffers of forces, energies and virials, to which a potential adds. */
  sums(): { forces: Buffer<"real">; energy: Buffer<"f64">; virial: Buffer<"f64"> } {
    return {
      forces: this.perAtom(3, 0.1),
      energy: this.spreadPerSystem("f64", 1, 1),
      virial: this.spreadPerSystem("f64", 9, 1),
    };
  }

  /** Creates positions near the points of a cubic lattice, and for each system a skewed cell around its lattice. */
  places(): { positions: Buffer<"real">; cell: Buffer<"real"> } {
    const noise = this.#spread(3 * this.atoms, 0.1, 0);
    const positions = SIZES.flatMap((size) => {
      const side = sideOf(size);
      return Array.from(
        { length: size },
        (_, a) =>
          [a % side, Math.floor(a / side) % side, Math.floor(a / side / side)]
            .map((n) => SPACING * n),
      ).flat();
    }).map((x, k) => x + noise[k]!);
    const cell = this.perSystem(
      "real",
      (s) => [1, 0, 0, 0.125, 1, 0, -0.125, 0.0625, 1].map((x) => SPACING * sideOf(SIZES[s]!) * x),
    );
    return { positions: this.make("real", positions), cell };
  }

  /** Number of atoms of all systems. */
  get atoms(): number {
    return SIZES.reduce((sum, size) => sum + size, 0);
  }

  #spread(length: number, width: number, center: number): number[] {
    const seed = ++this.#seed;
    return Array.from({ length }, (_, k) => {
      const wild = 43758.5453 * Math.sin(12.9898 * k + 78.233 * seed);
      return center + width * (2 * (wild - Math.floor(wild)) - 1);
    });
  }
}

function sideOf(size: number): number {
  return Math.max(2, Math.ceil(Math.cbrt(size)));
}
