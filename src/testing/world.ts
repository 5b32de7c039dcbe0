/**
 * A batch on a backend, with numbers for all arguments of kernels. The numbers of a system depend only on its size
 * and id, so they are the same alone and in any batch.
 *
 * @module
 */

import type { Backend, Buffer, KernelCall } from "../backend/backend.ts";
import { ACCELERATION } from "../kernels/constants.ts";
import type { BufferType } from "../kernels/kernel.ts";
import { Lab, normals } from "./lab.ts";

/** A system of a world. */
export interface Member {
  /** Number of atoms. */
  readonly size: number;
  /** Id of the system. Systems whose id is 3 modulo 5 are inactive. */
  readonly id: number;
}

/** Returns the numbers of a system, `width` for each row. */
type From = (member: Member) => ArrayLike<number>;

/** Floating-point values of atoms. */
export type AtomNumbers =
  | "positions"
  | "anchors"
  | "velocities"
  | "forces"
  | "low"
  | "weights"
  | "masses"
  | "springs";

/** Floating-point values of systems. */
export type SystemNumbers =
  | "cell"
  | "dt"
  | "temperature"
  | "friction"
  | "stiffness"
  | "center";

/** Integers: periodic directions, lattice vectors, flags, types of atoms. */
export type WholeNumbers = "pbc" | "images" | "frozen" | "species";

/** Values of atoms by name: the number of values per atom, and a function that returns the values of one system. */
const ATOMS: Readonly<Record<AtomNumbers, readonly [number, From]>> = {
  positions: [3, (member) => placesOf(member, 1)],
  anchors: [3, (member) => placesOf(member, 2)],
  velocities: [3, ({ size, id }) => normals(3 * size, seed(3, id), 1e-2)],
  forces: [3, ({ size, id }) => normals(3 * size, seed(4, id), 1)],
  low: [3, ({ size, id }) => normals(3 * size, seed(5, id), 1e-8)],
  weights: [
    1,
    ({ size, id }) =>
      normals(size, seed(6, id)).map((x) => Math.fround(ACCELERATION / (2 + x * x))),
  ],
  masses: [
    1,
    ({ size, id }) => normals(size, seed(7, id)).map((x) => x > 0 ? Math.fround(1 + x) : 0),
  ],
  springs: [1, ({ size, id }) => normals(size, seed(8, id)).map((x) => Math.max(0, x))],
};

/** Values of systems by name: the number of values per system, and a function that returns them. */
const SYSTEMS: Readonly<Record<SystemNumbers, readonly [number, From]>> = {
  cell: [9, cellOf],
  dt: [1, ({ id }) => [0.5 + id % 8 / 8]],
  temperature: [1, ({ id }) => [100 + 50 * (id % 8)]],
  friction: [1, ({ id }) => [id % 4 === 1 ? 0 : Math.fround(0.01 * (1 + id % 16))]],
  stiffness: [1, ({ id }) => [id % 8 === 2 ? 0 : 0.5 + id % 8]],
  center: [3, ({ id }) => normals(3, seed(9, id), 5)],
};

/**
 * Integers by name: the level that they belong to, the number of integers per system or atom, and a function that
 * returns those of one system.
 */
const WHOLE: Readonly<Record<WholeNumbers, readonly ["system" | "atom", number, From]>> = {
  pbc: ["system", 3, ({ id }) => [1, id % 2, Number(id % 3 < 2)]],
  images: ["atom", 3, ({ size }) => Array.from({ length: 3 * size }, (_, i) => i * 7 % 5 - 2)],
  frozen: [
    "atom",
    1,
    ({ size }) => Array.from({ length: size }, (_, i) => i % 3 === 0 ? 7 : i % 8),
  ],
  species: ["atom", 1, ({ size }) => Array.from({ length: size }, (_, i) => i % 2)],
};

/** Options of {@linkcode World}. */
export interface WorldOptions {
  /**
   * True to make all systems inactive.
   *
   * @default false
   */
  readonly isAtRest?: boolean;
}

/** A batch on a backend. */
export class World {
  /** Backend and frame. */
  readonly lab: Lab;
  /** Systems of the batch. */
  readonly members: readonly Member[];
  readonly #named = new Map<string, Buffer>();
  readonly #shapes = new Map<Buffer, { readonly width: number; readonly isAtom: boolean }>();

  /** Copies only the frame to the backend. Other buffers are created when they are first requested. */
  constructor(
    backend: Backend,
    members: readonly Member[],
    { isAtRest = false }: WorldOptions = {},
  ) {
    this.members = members;
    this.lab = new Lab(backend, members.map(({ size }) => size), {
      active: members.map(({ id }) => isAtRest || id % 5 === 3 ? 0 : 1),
      ids: members.map(({ id }) => id),
      ages: members.map(({ id }) => 11 * id % 1000),
    });
    const { active, ages } = this.lab.frame;
    for (const buffer of [active, ages]) this.#shapes.set(buffer, { width: 1, isAtom: false });
  }

  /** Returns the buffer with these values of atoms, and creates it on the first call. */
  atom(name: AtomNumbers): Buffer<"real"> {
    const [width, from] = ATOMS[name];
    return this.#once(name, () => this.atoms("real", width, from));
  }

  /** Returns the buffer with these values of systems, and creates it on the first call. */
  system(name: SystemNumbers): Buffer<"real"> {
    const [width, from] = SYSTEMS[name];
    return this.#once(name, () => this.systems("real", width, from));
  }

  /** Returns the buffer with these integers, and creates it on the first call. */
  whole(name: WholeNumbers): Buffer<"i32"> {
    const [level, width, from] = WHOLE[name];
    return this.#once(name, () => this.#made("i32", width, from, level === "atom"));
  }

  /** Creates a buffer with `width` values per atom, which `from` returns for each system. */
  atoms<D extends BufferType>(dtype: D, width: number, from: From): Buffer<D> {
    return this.#made(dtype, width, from, true);
  }

  /** Creates a buffer with `width` values per system, which `from` returns for each system. */
  systems<D extends BufferType>(dtype: D, width: number, from: From): Buffer<D> {
    return this.#made(dtype, width, from, false);
  }

  /** Runs calls once. */
  async run(calls: readonly KernelCall[]): Promise<void> {
    await this.lab.run(calls);
  }

  /** Returns the values of a buffer as one list for each system. */
  async read(buffer: Buffer): Promise<number[][]> {
    const { width, isAtom } = this.#shapes.get(buffer)!;
    const values = await this.lab.read(buffer);
    if (isAtom) return this.split(values, width);
    return this.members.map((_, s) => values.slice(width * s, width * (s + 1)));
  }

  /** Splits the values of all atoms into one list for each system. `width` is the number of values per atom. */
  split(values: readonly number[], width: number): number[][] {
    let at = 0;
    return this.members.map(({ size }) => values.slice(at, at += width * size));
  }

  #once<D extends BufferType>(name: string, make: () => Buffer<D>): Buffer<D> {
    const known = this.#named.get(name);
    if (known !== undefined) return known as Buffer<D>;
    const buffer = make();
    this.#named.set(name, buffer);
    return buffer;
  }

  #made<D extends BufferType>(dtype: D, width: number, from: From, isAtom: boolean): Buffer<D> {
    const buffer = this.lab.filled(
      dtype,
      this.members.flatMap((member) => Array.from(from(member))),
      isAtom ? "node" : "system",
    );
    this.#shapes.set(buffer, { width, isAtom });
    return buffer;
  }
}

/** Returns lattice vectors of a skewed cell with room for the system's atoms at distances of 3.4 Å. */
export function cellOf({ size }: Member): number[] {
  const side = sideOf(size);
  return [1, 0, 0, 0.25, 1, 0, -0.125, 0.375, 1.125].map((x) => Math.fround(3.4 * side * x));
}

function sideOf(size: number): number {
  return Math.max(1, Math.ceil(Math.cbrt(size)));
}

/** Returns positions near lattice points of the cell, some of them outside of it. */
function placesOf(member: Member, kind: number): number[] {
  const { size, id } = member;
  const side = sideOf(size), cell = cellOf(member);
  const noise = normals(3 * size, seed(kind, id), 0.1);
  return noise.map((off, i) => {
    const [atom, axis] = [Math.floor(i / 3), i % 3];
    const place = [atom % side, Math.floor(atom / side) % side, Math.floor(atom / side / side)];
    const at = place.reduce(
      (sum, n, k) => sum + ((n + 0.5) / side - 0.25) * cell[3 * k + axis]!,
      0,
    );
    return Math.fround(at + off);
  });
}

/** Returns a seed that differs for each kind of numbers and each system. */
export function seed(kind: number, id: number): number {
  return 1_000_000 * kind + id;
}
