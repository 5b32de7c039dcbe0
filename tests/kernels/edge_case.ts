/** Systems in a batch on a backend, with a list of edges; and the same by looking at every image of every atom. */
import { assertEquals } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { type Buffer, call, type Edges, type Pairs, type Program } from "../../src/backend/mod.ts";
import { edges as edgesKernel } from "../../src/kernels/edges/edges.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";
import { triplets as tripletsKernel } from "../../src/kernels/edges/triplets.ts";
import { bruteForce, halfOf, type PlainSystem } from "../batch/neighbors_brute.ts";
import { Lab } from "./lab.ts";

/** Options of the list. */
export interface EdgeWish {
  readonly cutoff: number;
  /** @default 0.5 */
  readonly skin?: number;
  /** @default false */
  readonly isHalf?: boolean;
  /** @default 0 */
  readonly reach?: number;
  /** @default all */
  readonly active?: readonly number[];
  /** @default not counted */
  readonly images?: readonly number[];
}

/** An edge: source, target, shift. */
export type EdgeRow = readonly [i: number, j: number, x: number, y: number, z: number];

/** Content of the buffers. */
export interface Listed {
  readonly index: number[];
  readonly shifts: number[];
  readonly systems: number[];
  readonly centers: number[];
  readonly triplets: number[];
  readonly counts: number[];
}

/** A batch with a list of edges. */
export class EdgeBatch {
  readonly lab: Lab;
  readonly pairs: Pairs;
  readonly edges: Edges;
  readonly positions: Buffer<"real">;
  readonly cell: Buffer<"real">;
  readonly images: Buffer<"i32"> | undefined;
  readonly offsets: readonly number[];
  readonly #program: Program;

  private constructor(lab: Lab, systems: readonly PlainSystem[], wish: EdgeWish) {
    const { cutoff, skin = 0.5, isHalf = false, reach = 0, images } = wish;
    this.lab = lab;
    const { backend, frame } = lab;
    this.offsets = systems.reduce(
      (all, { numbers }) => [...all, all.at(-1)! + numbers.length],
      [0],
    );
    this.positions = lab.real(systems.flatMap(({ positions }) => positions));
    this.cell = lab.real(systems.flatMap(({ cell }) => cell));
    this.images = images === undefined ? undefined : lab.i32(images);
    const pbc = lab.i32(systems.flatMap(({ pbc }) => pbc.map(Number)));
    this.pairs = backend.pairs(frame, { cutoff, skin });
    this.edges = backend.edges(frame, { pairs: this.pairs, cutoff, isHalf, reach });
    const place = { positions: this.positions, cell: this.cell, images: this.images };
    this.#program = backend.prepare(frame, [
      call(neighbors, { pairs: this.pairs, ...place, pbc }),
      call(edgesKernel, { edges: this.edges, ...place }),
      ...(reach > 0
        ? [call(tripletsKernel, { edges: this.edges, positions: this.positions })]
        : []),
    ]);
  }

  /** On the backend of this name. */
  static async on(
    name: string,
    systems: readonly PlainSystem[],
    wish: EdgeWish,
  ): Promise<EdgeBatch> {
    const options = wish.active === undefined ? {} : { active: [...wish.active] };
    const lab = await Lab.open(name, systems.map(({ numbers }) => numbers.length), options);
    return new EdgeBatch(lab, systems, wish);
  }

  /** Lists, and looks. */
  async list(): Promise<Listed> {
    await this.lab.backend.run(this.#program, 0, 1);
    return this.look();
  }

  /** Reads the list from the buffers. */
  async look(): Promise<Listed> {
    const { index, shifts, systems, centers, triplets, counts } = this.edges;
    const [a, b, c, d, e, f] = await this.lab.readAll([
      index,
      shifts,
      systems,
      centers,
      triplets,
      counts,
    ]);
    return { index: a!, shifts: b!, systems: c!, centers: d!, triplets: e!, counts: f! };
  }

  [Symbol.dispose](): void {
    this.lab[Symbol.dispose]();
  }
}

/** The edges, after checking the rest of the list: order, systems, padding, room. */
export function rowsOf(listed: Listed, { edges, offsets }: EdgeBatch): EdgeRow[] {
  const { index, shifts, systems, counts } = listed;
  const { capacity } = edges;
  const count = counts[0]!;
  assertEquals([capacity % 256, capacity > count], [0, true]);
  assertEquals([index.length, shifts.length, systems.length], [
    2 * capacity,
    3 * capacity,
    capacity,
  ]);
  for (let e = 0; e < count; e++) {
    const [i, s] = [index[e]!, systems[e]!];
    if (e > 0 && index[e - 1]! > i) throw new Error(`edge ${e} is not in the order of sources`);
    if (i < offsets[s]! || i >= offsets[s + 1]!) throw new Error(`edge ${e} is not of system ${s}`);
  }
  for (let e = count; e < capacity; e++) {
    const own = [index[e], index[capacity + e], ...shifts.slice(3 * e, 3 * e + 3), systems[e]];
    if (own.join() !== "0,0,100,0,0,0") throw new Error(`edge ${e} of the padding is ${own}`);
  }
  return Array.from({ length: count }, (_, e) => {
    return [
      index[e]!,
      index[capacity + e]!,
      ...shifts.slice(3 * e, 3 * e + 3),
    ] as unknown as EdgeRow;
  });
}

/** Pairs of edges, by their numbers, after checking padding and centers. */
export function tripletsOf(listed: Listed, { edges }: EdgeBatch): [number, number][] {
  const { index, centers, triplets, counts: [count, many] } = listed;
  const { tripletCapacity } = edges;
  assertEquals([tripletCapacity % 256, tripletCapacity > many!], [0, true]);
  assertEquals([centers.length, triplets.length], [tripletCapacity, 2 * tripletCapacity]);
  const pairs = Array.from({ length: tripletCapacity }, (_, t): [number, number] => {
    const pair: [number, number] = [triplets[t]!, triplets[tripletCapacity + t]!];
    const [a, b] = pair;
    const isRight = t < many!
      ? a < b && index[a] === centers[t] && index[b] === centers[t]
      : a === count && b === count && centers[t] === 0;
    if (!isRight) throw new Error(`triplet ${t} is ${pair} about ${centers[t]}`);
    return pair;
  });
  return pairs.slice(0, many);
}

/** All edges of systems, by looking at every image of every atom: exact for numbers that sums leave exact. */
export function everyEdge(
  all: readonly PlainSystem[],
  cutoff: number,
  isHalf = false,
): EdgeRow[] {
  const systems = all.filter(({ numbers }) => numbers.length > 0); // a batch has no others
  const batch = Batch.from(systems.map((system) => ({ ...system, pbc: [...system.pbc] as never })));
  const cells = systems.map(({ cell }) => cell);
  const rows = bruteForce(batch, cutoff);
  return (isHalf ? halfOf(rows) : rows).map(([i, j, ...n]) => {
    const h = cells[batch.systemOfNode[i]!]!;
    const [x, y, z] = [0, 1, 2].map((d) =>
      n.reduce((sum, n, k) => n === 0 ? sum : sum + n * h[3 * k + d]!, 0)
    );
    return [i, j, x!, y!, z!];
  });
}

/** A set of edges, to be compared. */
export function asSet(rows: readonly EdgeRow[]): string[] {
  return rows.map((row) => row.map((x) => x + 0).join(" ")).sort();
}

/** A half list has one of the two sides on which an atom sees itself: the side is anyone's choice. */
export function withoutSides(rows: readonly EdgeRow[]): EdgeRow[] {
  return rows.map(([i, j, ...shift]) => {
    const isBack = i === j && (shift.find((x) => x !== 0) ?? 0) < 0;
    return [i, j, ...shift.map((x) => isBack ? -x : x)] as unknown as EdgeRow;
  });
}

/** The unordered pairs of edges of the same source, both shorter than `reach`. */
export function everyTriplet(
  rows: readonly EdgeRow[],
  positions: readonly number[],
  reach: number,
): string[] {
  const short = rows.flatMap(([i, j, ...shift], e) => {
    const way = shift.map((x, d) => positions[3 * j + d]! - positions[3 * i + d]! + x);
    return Math.hypot(...way) < reach ? [[e, i] as const] : [];
  });
  return short.flatMap(([e, i]) =>
    short.filter(([f, k]) => k === i && f > e).map(([f]) => `${e} ${f}`)
  ).sort();
}
