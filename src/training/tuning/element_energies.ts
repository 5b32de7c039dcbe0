/**
 * Energies of elements, fitted to the energies of structures.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import type { BatchInput } from "../../batch/batch.ts";
import { atomicNumber, atomicSymbol } from "../../batch/elements.ts";
import type { System } from "../../batch/system.ts";
import { valuesOf } from "../data/atoms_targets.ts";
import { systemsList } from "../data/systems_list.ts";
import { leastSquares } from "./least_squares.ts";

/** Options of {@linkcode fitElementEnergies}. */
export interface ElementEnergiesOptions {
  /**
   * The field, or the member of `info`, that holds the energy of a system, eV. Systems without one are left out.
   *
   * @default "energy"
   */
  readonly energy?: string;
  /**
   * Energy of each system that a model gives without energies of elements, eV. The fit is to the difference.
   *
   * @default 0
   */
  readonly model?: ArrayLike<number>;
  /**
   * Symbol → energy that the fit starts from, eV. Where the systems do not determine the energies of single elements,
   * those closest to these are returned.
   *
   * @default 0
   */
  readonly base?: Readonly<Record<string, number>>;
  /**
   * Weight of the squared distances from `base`, against squared errors of systems. 0 takes them into account only where
   * the systems leave energies open.
   *
   * @default 0
   */
  readonly ridge?: number;
}

const ACTION = "fit energies of elements";

/**
 * Returns symbol → energy, eV, such that the energies of the atoms of each system add up to its energy as well as
 * possible: least squares over the compositions.
 *
 * Elements that always come in the same proportion, as in water alone, have no energies of their own. Their sum is right,
 * and each is as close to `base` as that allows.
 *
 * @throws {TypeError} for an unknown option
 * @throws {RangeError} if no system has an energy, for a ridge below 0, and if `model` has not one number per system
 *
 * @example
 * ```ts
 * import { fitElementEnergies } from "@hooke/hooke/training";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const energies = fitElementEnergies([
 *   { symbols: ["H", "H"], positions: [[0, 0, 0], [0.74, 0, 0]], energy: -31 },
 *   { symbols: ["O", "H"], positions: [[0, 0, 0], [0.97, 0, 0]], energy: -2056.5 },
 * ]);
 * assertAlmostEquals(energies.O!, -2041, 1e-9);
 * ```
 */
export function fitElementEnergies(
  systems: BatchInput,
  options: ElementEnergiesOptions = {},
): Record<string, number> {
  checkOptions(ACTION, options, ["energy", "model", "base", "ridge"]);
  const { energy = "energy", model, base = {}, ridge = 0 } = options;
  if (!(ridge >= 0 && ridge < Infinity)) {
    throw new RangeError(complaint(ACTION, "ridge must be 0 or more and finite", ridge));
  }
  const list = systemsList(ACTION, systems);
  if (model !== undefined && model.length !== list.length) {
    throw new RangeError(
      complaint(ACTION, `model must have ${list.length} energies, one per system`, model.length),
    );
  }
  const rows = rowsOf(list, energy, model);
  if (rows.length === 0) {
    throw new RangeError(
      `Cannot ${ACTION}: at least one system must have a finite ${
        JSON.stringify(energy)
      }; got none in ${list.length} systems`,
    );
  }
  return solved(rows, base, ridge);
}

/** Systems of one composition. */
interface Row {
  /** Atomic number → atoms. */
  readonly counts: ReadonlyMap<number, number>;
  /** Number of systems. */
  systems: number;
  /** Sum of their energies, eV. */
  sum: number;
}

/** Sums energies by composition: frames of one simulation are one row. */
function rowsOf(
  list: readonly System[],
  energy: string,
  model: ArrayLike<number> | undefined,
): Row[] {
  const rows = new Map<string, Row>();
  for (const [i, system] of list.entries()) {
    const value = valuesOf(system, "energy", energy)?.[0];
    if (value === undefined) continue;
    const counts = new Map<number, number>();
    for (const number of system.numbers.toSorted()) {
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    const key = String([...counts]);
    const row = rows.get(key) ?? { counts, systems: 0, sum: 0 };
    row.systems++;
    row.sum += value - (model?.[i] ?? 0);
    rows.set(key, row);
  }
  return [...rows.values()];
}

function solved(
  rows: readonly Row[],
  base: Readonly<Record<string, number>>,
  ridge: number,
): Record<string, number> {
  const from = new Map(Object.entries(base).map(([symbol, eV]) => [atomicNumber(symbol), eV]));
  const elements = [...new Set(rows.flatMap(({ counts }) => [...counts.keys()]))]
    .sort((a, b) => a - b);
  // A mean over n systems counts as n, so its row has the weight √n.
  const columns = elements.map((element) =>
    Float64Array.from(
      rows,
      ({ counts, systems }) => Math.sqrt(systems) * (counts.get(element) ?? 0),
    )
  );
  const wanted = Float64Array.from(rows, ({ counts, systems, sum }) => {
    let known = 0;
    for (const [element, atoms] of counts) known += atoms * (from.get(element) ?? 0);
    return Math.sqrt(systems) * (sum / systems - known);
  });
  const shifts = leastSquares(columns, wanted, ridge);
  return Object.fromEntries(
    elements.map((element, k) => [atomicSymbol(element), (from.get(element) ?? 0) + shifts[k]!]),
  );
}
