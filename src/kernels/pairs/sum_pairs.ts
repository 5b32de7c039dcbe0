import { scaleOf, TYPE_BITS } from "./exclusions.ts";
import type { Arrays, Frame } from "../kernel.ts";
import { type PairList, type SystemPairs, wholeBetween } from "./pair_list.ts";

/** Bits of `want`: the results to compute besides forces. */
export const Want = {
  /** Energy of each system. */
  ENERGY: 1,
  /** Virial of each system. */
  VIRIAL: 2,
} as const;

/** A potential between two atoms. */
export interface PairFunction {
  /** Length of a row of the parameter table. The second to last number is the squared cutoff. */
  readonly width: number;
  /**
   * Computes a pair at a squared distance below the cutoff, with the row of parameters that begins at index `at`.
   * Writes the energy to `out[0]` and −(dE/dr)/r to `out[1]`.
   */
  readonly at: (square: number, parameters: Arrays["real"], at: number, out: Float64Array) => void;
}

/** The arguments of all kernels that sum a pair potential. */
export interface PairSums {
  readonly pairs: PairList;
  readonly positions: Arrays["real"];
  readonly cell: Arrays["real"];
  readonly images: Int32Array | undefined;
  readonly species: Int32Array | undefined;
  readonly parameters: Arrays["real"];
  readonly forces: Arrays["real"];
  readonly energy: Float64Array;
  readonly virial: Float64Array;
  readonly switchWidth: number;
  readonly want: number;
}

/** The types of the arguments in {@linkcode PairSums}. */
export const PAIR_ARGS = {
  pairs: "pairs",
  positions: "real",
  cell: "real",
  images: "i32 optional",
  species: "i32 optional",
  parameters: "real",
  forces: "real changed",
  energy: "f64 changed",
  virial: "f64 changed",
  switchWidth: "number",
  want: "number",
} as const;

/**
 * Adds the forces, energies and virials of a pair potential to those of all active systems.
 *
 * With r = x_i − x_j − (n + m_i − m_j) h, the force on i is f = −(dE/dr) r/|r|. The virial W is the sum of f ⊗ r, so
 * that the stress is −W/V.
 *
 * Each pair is visited once and gives equal and opposite forces. The list also has pairs within the skin. So the
 * distance is compared with the cutoff of the pair of types before the potential is computed.
 */
export function sumPairs(sums: PairSums, frame: Frame, pair: PairFunction): void {
  for (let s = 0; s < frame.systems; s++) {
    if (frame.active[s] === 0) continue;
    sumSystem(sums, sums.pairs.systems[s]!, s, frame.offsets[s]!, pair);
  }
}

/** Energy E and slope −(dE/dr)/r of the current pair. */
const out: Float64Array = new Float64Array(2);
const r: Float64Array = new Float64Array(3);

function sumSystem(
  sums: PairSums,
  list: SystemPairs,
  system: number,
  first: number,
  { width, at }: PairFunction,
): void {
  const { positions, cell, species, parameters, forces, energy, virial, switchWidth, want } = sums;
  const types = Math.sqrt(parameters.length / width);
  const atoms = positions.length / 3;
  const stride = species === undefined ? 0 : species.length / atoms;
  const rows = { species: species!, stride, first, cell, h: 9 * system };
  for (let p = 0; p < list.count; p++) {
    const [i, j] = [first + list.i[p]!, first + list.j[p]!];
    const type = types === 1
      ? 0
      : (species![stride * i]! & TYPE_BITS) * types + (species![stride * j]! & TYPE_BITS);
    const limit = parameters[type * width + width - 2]!;
    const square = distance(sums, list, p, i, j, 9 * system);
    if (!(square < limit)) continue;
    at(square, parameters, type * width, out);
    if (switchWidth > 0) switchOff(square, limit, switchWidth);
    if (stride > 1) exclude(scaleOf(rows, i, j, r));
    for (let d = 0; d < 3; d++) {
      const f = out[1]! * r[d]!;
      forces[3 * i + d]! += f;
      forces[3 * j + d]! -= f;
      if ((want & Want.VIRIAL) === 0) continue;
      for (let e = 0; e < 3; e++) virial[9 * system + 3 * d + e]! += f * r[e]!;
    }
    if ((want & Want.ENERGY) !== 0) energy[system]! += out[0]!;
  }
}

/** Multiplies the results of a pair by its scale. A pair with scale 0 contributes zero even if its energy is NaN. */
function exclude(scale: number): void {
  for (const k of [0, 1]) out[k] = scale === 0 ? 0 : scale * out[k]!;
}

/** Writes the vector from atom j to atom i of pair p to `r`, and returns its squared length. */
function distance(
  { positions, cell, images }: PairSums,
  list: SystemPairs,
  p: number,
  i: number,
  j: number,
  h: number,
): number {
  let square = 0;
  for (let d = 0; d < 3; d++) r[d] = positions[3 * i + d]! - positions[3 * j + d]!;
  for (let k = 0; k < 3; k++) {
    const n = wholeBetween(list, p, k, images, i, j);
    if (n === 0) continue;
    for (let d = 0; d < 3; d++) r[d]! -= n * cell[h + 3 * k + d]!;
  }
  for (let d = 0; d < 3; d++) square += r[d]! * r[d]!;
  return square;
}

/**
 * Multiplies the energy of a pair by S = 1 − 10x³ + 15x⁴ − 6x⁵, and changes the slope accordingly. x goes from 0 to 1
 * over the last `width` Å before the cutoff. S is twice differentiable.
 */
function switchOff(square: number, limit: number, width: number): void {
  const distance = Math.sqrt(square);
  const x = (distance - Math.sqrt(limit) + width) / width;
  if (x <= 0) return;
  const s = 1 - x * x * x * (10 + x * (6 * x - 15));
  const slope = -30 * x * x * (1 - x) * (1 - x) / width;
  out[1] = s * out[1]! - slope * out[0]! / distance;
  out[0]! *= s;
}
