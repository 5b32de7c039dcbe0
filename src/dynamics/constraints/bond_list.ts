/**
 * Bonds in the form that kernels use, grouped by molecule.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { type Info, systemName } from "../../batch/store.ts";
import type { HeldBonds } from "./constraint.ts";

/** Bonds of all systems, in clusters. No two clusters share an atom. */
export interface BondList {
  /** Index of the first cluster of each system, followed by the number of clusters. */
  readonly starts: Int32Array;
  /** Index of the first bond of each cluster, followed by the number of bonds. */
  readonly clusters: Int32Array;
  /** Two atoms per bond, as indices within the system. */
  readonly bonds: Int32Array;
  /** Lengths of the bonds, Å: one row of `width` numbers per system, padded with zeros. */
  readonly lengths: Float64Array;
  /** Numbers per row of `lengths`: the largest number of bonds of a system, and at least 1. */
  readonly width: number;
  /** Relative tolerance of the lengths; `undefined` for the default of the backend. */
  readonly tolerance: number | undefined;
  /** Maximum number of rounds over the bonds of a cluster. */
  readonly maxIterations: number;
}

/** A bond and its target length, Å. */
interface Bond {
  readonly pair: readonly [number, number];
  readonly length: number;
}

/**
 * Returns the bonds of several constraints as one list. Bonds between two atoms that are fixed in all directions are
 * left out. Throws a RangeError if a bond occurs twice, or if a bond between fixed atoms would have to change its
 * length.
 */
export function bondList(
  all: readonly HeldBonds[],
  { nodeOffsets: offsets, infos }: Pick<Batch, "nodeOffsets" | "infos">,
  fixed: ArrayLike<number>,
  lengthNow: (system: number, pair: readonly [number, number]) => number,
): BondList {
  const starts = [0], clusters = [0], bonds: number[] = [], rows: number[][] = [];
  for (let s = 0; s + 1 < offsets.length; s++) {
    const isFixed = (atom: number) => fixed[offsets[s]! + atom] === 7;
    const own = bondsOf(all, infos, s).filter(({ pair, length }) => {
      if (!pair.every(isFixed)) return true;
      assertKept(systemName(infos, s), pair, length, lengthNow(s, pair));
      return false;
    });
    const molecules = clustersOf(own);
    for (const molecule of molecules) {
      for (const { pair } of molecule) bonds.push(...pair);
      clusters.push(bonds.length / 2);
    }
    starts.push(clusters.length - 1);
    rows.push(molecules.flat().map(({ length }) => length));
  }
  const width = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const lengths = new Float64Array(width * rows.length);
  rows.forEach((row, s) => lengths.set(row, width * s));
  const tolerances = all.flatMap(({ tolerance }) => tolerance ?? []);
  return {
    starts: Int32Array.from(starts),
    clusters: Int32Array.from(clusters),
    bonds: Int32Array.from(bonds),
    lengths,
    width,
    tolerance: tolerances.length === 0 ? undefined : Math.min(...tolerances),
    maxIterations: Math.max(...all.map(({ maxIterations }) => maxIterations)),
  };
}

function bondsOf(all: readonly HeldBonds[], infos: readonly Info[], s: number): Bond[] {
  const known = new Set<string>();
  const own = all.flatMap(({ pairs, lengths }) =>
    pairs[s]!.map((pair, b) => ({ pair, length: lengths[s]![b]! }))
  );
  for (const { pair } of own) {
    const [i, j] = [Math.min(...pair), Math.max(...pair)];
    if (known.has(`${i} ${j}`)) {
      throw new RangeError(
        `Cannot fix bonds: each bond must be in one constraint only; got the bond of atoms ${i} and ${j} of system ${
          systemName(infos, s)
        } in two`,
      );
    }
    known.add(`${i} ${j}`);
  }
  return own;
}

function assertKept(
  system: string,
  pair: readonly number[],
  length: number,
  now: number,
): void {
  if (Math.abs(now - length) <= 1e-6 * length) return;
  throw new RangeError(
    `Cannot fix bonds: a bond between fixed atoms must keep its length, ${now} Å; got ${length} Å for atoms ${
      pair.join(" and ")
    } of system ${system}`,
  );
}

/** Groups bonds into clusters of connected atoms. The bonds of a cluster keep their order. */
function clustersOf(bonds: readonly Bond[]): Bond[][] {
  const parents = new Map<number, number>();
  const rootOf = (atom: number): number => {
    let root = atom;
    for (let next; (next = parents.get(root) ?? root) !== root;) root = next;
    for (let at = atom; at !== root;) {
      const next = parents.get(at)!;
      parents.set(at, root); // shortens the path for the next search
      at = next;
    }
    return root;
  };
  for (const { pair: [i, j] } of bonds) parents.set(rootOf(i), rootOf(j));
  const clusters = new Map<number, Bond[]>();
  for (const bond of bonds) {
    const root = rootOf(bond.pair[0]);
    const cluster = clusters.get(root);
    if (cluster === undefined) clusters.set(root, [bond]);
    else cluster.push(bond);
  }
  return [...clusters.values()];
}
