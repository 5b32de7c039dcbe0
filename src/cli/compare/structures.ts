/**
 * Comparisons of structures with their energies, forces and stresses.
 *
 * @module
 */

import { cellVolume } from "../../batch/cell.ts";
import type { System } from "../../batch/system.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { Structure } from "../run/structures.ts";
import type { Pair } from "./pair.ts";

/** Names of the compared things, in messages. */
export interface Names {
  readonly a: string;
  readonly b: string;
}

/** Directions of vectors and tensors. */
const AXES = ["x", "y", "z"] as const;

/**
 * Throws a UsageError if two lists of structures differ in their numbers, in the numbers or the order of their atoms,
 * or in what is periodic.
 */
export function checkSameAtoms(
  a: readonly Structure[],
  b: readonly Structure[],
  names: Names,
): void {
  const refuse = (reason: string): never => {
    throw new UsageError(`Cannot compare ${names.a} and ${names.b}: ${reason}`);
  };
  if (a.length !== b.length) {
    refuse(`A has ${a.length} structures, and B has ${b.length}. FILE@FROM:TO selects frames`);
  }
  for (const [i, { system, label }] of a.entries()) {
    const other = b[i]!, [one, two] = [system.symbols, other.system.symbols];
    const place = a.length === 1 ? "" : `structure ${i} (${label} and ${other.label}): `;
    if (one.length !== two.length) {
      refuse(`${place}A has ${one.length} atoms, and B has ${two.length}`);
    }
    const at = one.findIndex((symbol, k) => symbol !== two[k]);
    if (at >= 0) {
      const isSorted = [...one].sort().join() === [...two].sort().join();
      refuse(
        `${place}${isSorted ? "the atoms have another order" : "the atoms differ"}: atom ${at} is ${
          one[at]
        } in A and ${two[at]} in B`,
      );
    }
    if (system.pbc.join() !== other.system.pbc.join()) {
      refuse(`${place}A is periodic in ${axesOf(system)}, and B in ${axesOf(other.system)}`);
    }
  }
}

function axesOf({ pbc }: System): string {
  return AXES.filter((_, k) => pbc[k] === 1).join(", ") || "no direction";
}

/**
 * Returns the pairs of energies per atom, forces, stresses, positions and cells: those that all structures of both lists
 * have. Stresses are those of structures with a volume.
 */
export function structurePairs(
  a: readonly Structure[],
  b: readonly Structure[],
  { geometry }: { readonly geometry: boolean },
): Pair[] {
  const has = (name: "energy" | "forces" | "stress", all: readonly Structure[]) =>
    all.every(({ system }) => system.has(name));
  const both = (name: "energy" | "forces") => has(name, a) && has(name, b);
  const periodic = a.flatMap(({ system }, i) => volumeOf(system) > 0 ? [i] : []);
  const pick = (all: readonly Structure[]) => periodic.map((i) => all[i]!);
  const hasStress = periodic.length > 0 && has("stress", pick(a)) && has("stress", pick(b));
  return [
    ...(both("energy") ? [energyPair(a, b)] : []),
    ...(both("forces")
      ? [atomPair("forces", "eV/Å", a, values("forces", a), values("forces", b))]
      : []),
    ...(hasStress
      ? [
        tensorPair(
          "stress",
          "eV/Å³",
          pick(a),
          values("stress", pick(a)),
          values("stress", pick(b)),
        ),
      ]
      : []),
    ...(geometry ? geometryPairs(a, b, periodic) : []),
  ];
}

function energyPair(a: readonly Structure[], b: readonly Structure[]): Pair {
  const perAtom = (all: readonly Structure[]) =>
    all.map(({ system }) => system.get("energy")[0]! / system.nodeCount);
  return {
    quantity: "energy",
    unit: "eV/atom",
    a: perAtom(a),
    b: perAtom(b),
    where: (i) => a[i]!.label,
  };
}

function values(name: "forces" | "stress", all: readonly Structure[]): number[] {
  return all.flatMap(({ system }) => Array.from(system.get(name)));
}

function atomPair(
  quantity: string,
  unit: string,
  structures: readonly Structure[],
  a: readonly number[],
  b: readonly number[],
): Pair {
  return {
    quantity,
    unit,
    a,
    b,
    where(index) {
      let atom = Math.floor(index / 3);
      const found = structures.find(({ system }) => {
        if (atom < system.nodeCount) return true;
        atom -= system.nodeCount;
        return false;
      })!;
      return `${found.label}, atom ${atom} (${found.system.symbols[atom]}), ${AXES[index % 3]}`;
    },
  };
}

function tensorPair(
  quantity: string,
  unit: string,
  structures: readonly Structure[],
  a: readonly number[],
  b: readonly number[],
): Pair {
  return {
    quantity,
    unit,
    a,
    b,
    where: (i) =>
      `${structures[Math.floor(i / 9)]!.label}, ${AXES[Math.floor(i / 3) % 3]}${AXES[i % 3]}`,
  };
}

function geometryPairs(
  a: readonly Structure[],
  b: readonly Structure[],
  periodic: readonly number[],
): Pair[] {
  const from = a.flatMap(({ system }) => Array.from(system.positions));
  const to = a.flatMap(({ system }, i) => nearestImages(system, b[i]!.system));
  const cells = periodic.map((i) => a[i]!);
  const cellsOf = (all: readonly Structure[]) => periodic.flatMap((i) => [...all[i]!.system.cell]);
  return [
    atomPair("positions", "Å", a, from, to),
    ...(cells.length === 0 ? [] : [tensorPair("cell", "Å", cells, cellsOf(a), cellsOf(b))]),
  ];
}

/** Returns the positions of B, each as the periodic image that is nearest to the position in A. */
function nearestImages(a: System, b: System): number[] {
  const { cell, pbc, positions: from } = a, to = b.positions, result = Array.from(to);
  const rows = [0, 3, 6].map((i) => [cell[i]!, cell[i + 1]!, cell[i + 2]!]);
  if (!(cellVolume(cell) > 0)) return result;
  const [u, v, w] = rows as [number[], number[], number[]];
  const duals = [cross(v, w), cross(w, u), cross(u, v)];
  for (let i = 0; i < to.length; i += 3) {
    const d = [0, 1, 2].map((k) => to[i + k]! - from[i + k]!);
    for (const k of [0, 1, 2]) {
      if (pbc[k] !== 1) continue;
      const dual = duals[k]!, turns = Math.round(dot(d, dual) / dot(rows[k]!, dual));
      for (const m of [0, 1, 2]) result[i + m]! -= turns * rows[k]![m]!;
    }
  }
  return result;
}

function volumeOf({ cell, pbc }: System): number {
  return pbc.includes(1) ? cellVolume(cell) : 0;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
}

function cross(a: readonly number[], b: readonly number[]): number[] {
  return [
    a[1]! * b[2]! - a[2]! * b[1]!,
    a[2]! * b[0]! - a[0]! * b[2]!,
    a[0]! * b[1]! - a[1]! * b[0]!,
  ];
}
