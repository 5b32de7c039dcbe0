import { assert } from "@std/assert";
import {
  type Backend,
  type Buffer,
  call,
  type Pairs,
  type Program,
} from "../../src/backend/mod.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { lennardJones } from "../../src/models/pair/lennard_jones.ts";
import type { PairKernel } from "../../src/kernels/pairs/pair_potential.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";

/** A system to sum pairs of. */
export interface PairSystem {
  readonly positions: readonly number[];
  /** @default zeros */
  readonly cell?: readonly number[];
  /** @default all 1 where there is a cell */
  readonly pbc?: readonly number[];
  readonly images?: readonly number[];
  readonly species?: readonly number[];
}

/** Options of the sum. */
export interface PairOptions {
  readonly kernel?: PairKernel;
  readonly parameters: readonly number[];
  readonly cutoff: number;
  readonly skin?: number;
  readonly switchWidth?: number;
  /** @default 3 */
  readonly want?: number;
}

/** Systems in a batch on a backend, with a list and a pair potential. */
export class PairBatch {
  readonly backend: Backend;
  readonly pairs: Pairs;
  readonly offsets: Int32Array;
  readonly active: Buffer<"i32">;
  readonly control: Buffer<"i32">;
  readonly positions: Buffer<"real">;
  readonly images: Buffer<"i32"> | undefined;
  readonly cell: Buffer<"real">;
  readonly forces: Buffer<"real">;
  readonly energy: Buffer<"f64">;
  readonly virial: Buffer<"f64">;
  readonly #program: Program;

  constructor(backend: Backend, systems: readonly PairSystem[], options: PairOptions) {
    const { kernel = lennardJones.kernel, parameters, cutoff, skin = 0.5, switchWidth = 0 } =
      options;
    this.backend = backend;
    const counts = systems.map(({ positions }) => positions.length / 3);
    this.offsets = Int32Array.from([0, ...counts]);
    for (let s = 1; s <= systems.length; s++) this.offsets[s]! += this.offsets[s - 1]!;
    const [atoms, size] = [this.offsets[systems.length]!, systems.length];
    const i32 = (values: readonly number[]) => this.#buffer("i32", values);
    const real = (values: readonly number[]) => this.#buffer("real", values);
    this.active = i32(systems.map(() => 1));
    this.control = i32(Array(Control.LENGTH).fill(0));
    const zeros = i32(systems.map(() => 0));
    const frame = {
      systems: size,
      offsets: i32([...this.offsets]),
      active: this.active,
      ids: zeros,
      ages: zeros,
      control: this.control,
    };
    this.positions = real(systems.flatMap(({ positions }) => positions));
    this.cell = real(systems.flatMap(({ cell = Array(9).fill(0) }) => cell));
    const pbc = systems.flatMap(({ cell, pbc = Array(3).fill(cell === undefined ? 0 : 1) }) => pbc);
    this.images = systems.some(({ images }) => images !== undefined)
      ? i32(systems.flatMap(({ positions, images }) => images ?? positions.map(() => 0)))
      : undefined;
    const species = systems[0]?.species === undefined
      ? undefined
      : i32(systems.flatMap(({ species }) => species!));
    this.forces = real(Array(3 * atoms).fill(0));
    this.energy = this.#buffer("f64", Array(size).fill(0));
    this.virial = this.#buffer("f64", Array(9 * size).fill(0));
    this.pairs = backend.pairs(frame, { cutoff, skin });
    const { pairs, positions, cell, images, forces, energy, virial } = this;
    this.#program = backend.prepare(frame, [
      call(neighbors, { pairs, positions, cell, pbc: i32(pbc), images }),
      call(kernel, {
        pairs,
        positions,
        cell,
        images,
        species,
        parameters: real(parameters),
        forces,
        energy,
        virial,
        switchWidth,
        want: options.want ?? 3,
      }),
    ]);
  }

  /** Sums once, from zero. */
  run(): this {
    for (const buffer of [this.forces, this.energy, this.virial]) {
      this.backend.write(buffer, new Float64Array(buffer.length));
    }
    return this.sum();
  }

  /** Adds to the sums there are. */
  sum(): this {
    this.backend.run(this.#program, 0, 1);
    return this;
  }

  /** Moves all atoms of all systems. */
  move(positions: ArrayLike<number>): this {
    this.backend.write(this.positions, positions);
    return this;
  }

  /** A copy of a buffer's numbers. */
  async get(name: "forces" | "energy" | "virial" | "positions" | "control"): Promise<number[]> {
    return Array.from(await this.backend.read(this[name]));
  }

  /** Returns the number of rebuilds of each system's pairs. */
  async builds(): Promise<number[]> {
    return Array.from((await this.backend.savePairs(this.pairs)).builds);
  }

  #buffer<D extends "i32" | "real" | "f64">(dtype: D, values: readonly number[]): Buffer<D> {
    const buffer = this.backend.alloc(dtype, values.length);
    this.backend.write(buffer, values);
    return buffer;
  }
}

/** Rows of Lennard-Jones parameters for pairs of [ε, σ], all with one cutoff. */
export function ljParameters(
  pairs: readonly (readonly [number, number])[],
  cutoff: number,
  isShifted = false,
): number[] {
  return pairs.flatMap(([epsilon, sigma]) => {
    const [c12, c6] = [4 * epsilon * sigma ** 12, 4 * epsilon * sigma ** 6];
    return [c12, c6, cutoff * cutoff, isShifted ? c12 / cutoff ** 12 - c6 / cutoff ** 6 : 0];
  });
}

/** Numbers from 0 to 1 (mulberry32). */
export function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = state + 0x6D2B79F5 | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}

/** Numbers that differ by no more than a part of the largest. */
export function assertClose(
  actual: readonly number[],
  expected: readonly number[],
  part: number,
): void {
  const size = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  for (const [i, x] of expected.entries()) {
    assert(Math.abs(actual[i]! - x) <= part * size, `${i}: ${actual[i]} is not ${x} of ${size}`);
  }
}
