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
   * Name of the field, or of the member of `info`, that holds the energy of a system in eV. Systems without an energy
   * are left out.
   *
   * @default "energy"
   */
  readonly energy?: string;
  /**
   * Energies in eV that a model without energies of elements computes, one per system. The fit is to the difference
   * from them.
   *
   * @default 0
   */
  readonly model?: ArrayLike<number>;
  /**
   * Table of energies in eV by symbol, from which the fit starts. If the systems do not determine the energies of
   * single elements, the result is the solution closest to these.
   *
   * @default 0
   */
  readonly base?: Readonly<Record<string, number>>;
  /**
   * Weight of the squared distances from `base` relative to the squared errors of systems. With 0 they only matter if
   * the systems do not determine all energies.
   *
   * @default 0
   */
  readonly ridge?: number;
}

const ACTION = "fit energies of elements";

/**
 * Returns an energy in eV for each element, by symbol. The sums of these energies over the atoms of each system fit
 * the energies of the systems by least squares.
 *
 * Elements that always occur in the same proportion, as in water alone, are not determined individually. The sum of their
 * energies is right, and each is as close to `base` as that sum allows.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if no system has an energy, if `ridge` is below 0, or if `model` does not have one number per
 * system
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

/** All systems of one composition. */
interface Row {
  /** Number of atoms of each element, by atomic number. */
  readonly counts: ReadonlyMap<number, number>;
  /** Number of systems. */
  systems: number;
  /** Sum of the energies of the systems, eV. */
  sum: number;
}

/** Sums the energies of systems with the same composition, such as the frames of one simulation. */
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
