/**
 * Comparison of a model's results with its reference.
 *
 * @module
 */

import { signedVolume } from "../../../kernels/cells/inverse.ts";
import type { Evaluated } from "../../evaluate.ts";
import type { OnnxReference, OnnxReferenceTolerance } from "./reference.ts";

/** A quantity that a reference contains. */
export type Quantity = keyof OnnxReferenceTolerance;

/** A difference between a model and its reference, in the units of {@linkcode OnnxReferenceTolerance}. */
export interface Deviation {
  /** Index of the structure in the reference. */
  readonly structure: number;
  /** Quantity that differs. */
  readonly quantity: Quantity;
  /** Size of the difference; NaN if a result of the model is NaN. */
  readonly off: number;
  /** Result of the model where the difference is largest. */
  readonly found: number;
  /** Value of the reference at the same index. */
  readonly wanted: number;
  /** Largest accepted difference. */
  readonly limit: number;
}

/** Result of comparing a model with its reference. */
export interface Parity {
  /** Largest difference of each quantity. */
  readonly largest: readonly Deviation[];
  /** Differences that are too large: the largest one of each structure and quantity. */
  readonly beyond: readonly Deviation[];
  /** Differences beyond the tolerance that are accepted, because those of PyTorch in float32 are similar. */
  readonly excused: readonly Deviation[];
  /** Number of compared structures. */
  readonly structures: number;
  /** Factor between all forces of the model and those of the reference; `undefined` if there is no such factor. */
  readonly factor: number | undefined;
}

/**
 * Compares results with a reference. `which` contains the indices of the evaluated structures, in the order of the
 * results. The tolerance of the reference is multiplied by `slack`.
 */
export function compareWith(
  reference: OnnxReference,
  which: readonly number[],
  { energy, forces, virial }: Evaluated,
  { hasEnergy, hasStress, slack }: {
    readonly hasEnergy: boolean;
    readonly hasStress: boolean;
    readonly slack: number;
  },
): Parity {
  const all: Deviation[] = [];
  let atom = 0;
  for (const [s, structure] of which.entries()) {
    const { symbols: { length }, cell } = reference.structures[structure]!;
    const add = (
      quantity: Quantity,
      found: readonly number[],
      wanted: readonly number[],
      unit: number,
    ) => {
      const limit = slack * limitOf(reference, structure, quantity);
      all.push({ structure, quantity, limit, ...largestOf(found, wanted, unit) });
    };
    if (hasEnergy) add("energy", [energy[s]!], [reference.energy[structure]!], length);
    const ownForces = reference.forces[structure]!;
    add("forces", forces.slice(3 * atom, 3 * (atom + length)), ownForces, most(ownForces, 1));
    const stress = reference.stress[structure];
    if (hasStress && stress && cell !== null) {
      const volume = Math.abs(signedVolume(Float64Array.from(cell), 0));
      const found = virial.slice(9 * s, 9 * s + 9).map((value) => -value / volume);
      add("stress", symmetric(found), symmetric(stress), most(stress, 0.01));
    }
    atom += length;
  }
  return {
    largest: worstOf(all),
    beyond: all.filter(({ off, limit }) => !(off <= limit)),
    excused: all.filter(({ quantity, off, limit }) =>
      off > slack * reference.tolerance[quantity] && off <= limit
    ),
    structures: which.length,
    factor: factorOf(forces, which.flatMap((structure) => reference.forces[structure]!)),
  };
}

/** Returns the largest difference of each quantity that was compared. */
export function worstOf(all: readonly Deviation[]): Deviation[] {
  return (["energy", "forces", "stress"] as const).flatMap((quantity) => {
    const own = all.filter((one) => one.quantity === quantity);
    return own.length === 0 ? [] : [own.reduce((a, b) => b.off > a.off ? b : a)];
  });
}

/** Returns the factor f with `found` ≈ f `wanted`; `undefined` if there is no such factor or it is about 1. */
function factorOf(found: readonly number[], wanted: readonly number[]): number | undefined {
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const factor = product(found, wanted) / product(wanted, wanted);
  const rest = found.map((value, i) => value - factor * wanted[i]!);
  const isOne = Math.abs(factor - 1) < 1e-2;
  return !isOne && product(rest, rest) < 1e-6 * product(found, found) ? factor : undefined;
}

/**
 * Factor by which differences of a model may exceed those of PyTorch in float32, because sums are added in another
 * order.
 */
const FLOAT32 = 4;
/**
 * Upper bound of the differences that {@linkcode FLOAT32} allows. python/hooke_export/tolerance.py has the same
 * bound.
 */
const WIDEST: OnnxReferenceTolerance = { energy: 1e-4, forces: 1e-3, stress: 1e-2 };

/** Returns the largest accepted difference of a quantity in a structure. */
export function limitOf(
  { tolerance, float32 }: {
    readonly tolerance: OnnxReferenceTolerance;
    readonly float32?: OnnxReference["float32"];
  },
  structure: number,
  quantity: Quantity,
): number {
  const own = FLOAT32 * (float32?.[structure]?.[quantity] ?? 0);
  return Math.max(tolerance[quantity], Math.min(own, WIDEST[quantity]));
}

/**
 * Returns the symmetric part of a stress. Models that are not invariant to rotations have stresses that are not
 * symmetric; ASE symmetrizes them.
 */
function symmetric(stress: readonly number[]): number[] {
  return stress.map((value, i) => (value + stress[3 * (i % 3) + Math.floor(i / 3)]!) / 2);
}

function most(values: readonly number[], least: number): number {
  return values.reduce((largest, value) => Math.max(largest, Math.abs(value)), least);
}

/**
 * Returns the largest difference between two lists, in multiples of `unit`, with the two values. NaN counts as the
 * largest difference.
 */
function largestOf(found: readonly number[], wanted: readonly number[], unit: number) {
  let worst = { off: 0, found: found[0] ?? 0, wanted: wanted[0] ?? 0 };
  for (const [i, value] of wanted.entries()) {
    const off = Math.abs(found[i]! - value) / unit;
    if (Number.isNaN(worst.off) || off <= worst.off) continue;
    worst = { off, found: found[i]!, wanted: value };
  }
  return worst;
}

/** Describes the largest differences as text: `"energy 3e-7 eV per atom, forces 2e-6 relative"`. */
export function showParity(largest: Parity["largest"]): string {
  return largest.map(({ quantity, off }) =>
    `${quantity} ${off === 0 ? 0 : off.toExponential(0)} ${
      quantity === "energy" ? "eV per atom" : "relative"
    }`
  ).join(", ");
}
