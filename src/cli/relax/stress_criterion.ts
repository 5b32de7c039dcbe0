/**
 * Convergence of cells.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import {
  ConvergenceHook,
  type ConvergenceOptions,
} from "../../dynamics/convergence/convergence_hook.ts";
import { alongPeriodic } from "../../kernels/cells/deformation.ts";
import { product } from "../../kernels/cells/product.ts";
import { GIGAPASCAL } from "../../kernels/constants.ts";
import type { RelaxSettings } from "./settings.ts";

/** Settings that decide when a structure has relaxed. */
export type ConvergenceSettings = Pick<
  RelaxSettings,
  "fmax" | "smax" | "cell" | "isotropic" | "pressure"
>;

/**
 * Returns the hook that decides when structures have relaxed: no force exceeds `fmax`. If cells relax, no component of
 * the stress differs from that of the external pressure by more than `smax`.
 *
 * The forces on the cell that `fmax` includes are σ V divided by a length that grows as √n. A soft crystal of few atoms
 * therefore meets `fmax` with a cell that is far from the minimum.
 */
export function convergenceHook(settings: ConvergenceSettings): ConvergenceHook {
  const { fmax, cell, isotropic } = settings;
  if (!cell && !isotropic) return ConvergenceHook.fromFmax(fmax);
  return new ConvergenceHook({
    criteria: [{ key: "fmax", threshold: fmax }, ...stressCriteria(settings)],
  });
}

/**
 * Returns the criteria of the stress. A criterion receives one field, so that the first two keep the periodicity and
 * the cells for the third, which is judged after them.
 */
function stressCriteria(
  { smax, pressure, isotropic }: ConvergenceSettings,
): Extract<NonNullable<ConvergenceOptions["criteria"]>, readonly unknown[]> {
  let pbc: ArrayLike<number> = [], cells: ArrayLike<number> = [];
  const all = (offsets: Int32Array) => new Uint8Array(offsets.length - 1).fill(1);
  return [
    { key: "pbc", threshold: 0, customOp: (values, offsets) => (pbc = values, all(offsets)) },
    { key: "cell", threshold: 0, customOp: (values, offsets) => (cells = values, all(offsets)) },
    {
      key: "stress",
      threshold: smax,
      customOp: (stress, offsets) =>
        all(offsets).map((_, s) => {
          const along = alongPeriodic(cells, 9 * s, pbc, 3 * s);
          const largest = excess(stress, 9 * s, { along, isotropic, pressure });
          return largest <= smax ? 1 : 0; // NaN does not meet it
        }),
    },
  ];
}

/**
 * Returns the largest component of σ + P 1 along the directions in which the cell relaxes, GPa. A cell that keeps its
 * shape has only the mean of the diagonal.
 */
function excess(
  stress: ArrayLike<number>,
  at: number,
  { along, isotropic, pressure }: {
    readonly along: Float64Array;
    readonly isotropic: boolean;
    readonly pressure: number;
  },
): number {
  const symmetric = along.map((_, k) => {
    const mean = (stress[at + k]! + stress[at + k % 3 * 3 + Math.floor(k / 3)]!) / 2;
    return mean / GIGAPASCAL + (k % 4 === 0 ? pressure : 0);
  });
  const half = product(along, symmetric, new Float64Array(9));
  const inside = product(half, along, new Float64Array(9));
  if (!isotropic) return inside.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const directions = along[0]! + along[4]! + along[8]!;
  return directions === 0 ? 0 : Math.abs(inside[0]! + inside[4]! + inside[8]!) / directions;
}

/** Returns the pressure −Tr(σ)/3 of a system, GPa; NaN without stresses, or if a direction is not periodic. */
export function pressureIn(batch: Batch, system: number): number {
  const pbc = batch.get("pbc").subarray(3 * system, 3 * system + 3);
  if (!batch.has("stress") || pbc.includes(0)) return NaN;
  const stress = batch.get("stress"), at = 9 * system;
  return -(stress[at]! + stress[at + 4]! + stress[at + 8]!) / 3 / GIGAPASCAL;
}
