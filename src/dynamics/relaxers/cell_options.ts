/**
 * Options for the relaxation of cells.
 *
 * @module
 */

import { checkKeys, checkKind } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { checkParameter, type PerSystem, Rule } from "../integrators/parameters.ts";

/** Options for the relaxation of the cells of a batch. */
export interface CellOptions {
  /**
   * External pressure P, eV/Å³, for example `0.1 * GIGAPASCAL`. The relaxation minimizes E + P V, which leads to a
   * stress of −P. @default 0
   */
  readonly pressure?: PerSystem;
  /** True to keep the shape of the cells and change only their size. @default false */
  readonly isotropic?: boolean;
}

/** Options of all relaxers. */
export interface RelaxerOptions {
  /**
   * True, or an object with options, to relax the cells, too, along their periodic directions. The value `fmax` of a
   * `ConvergenceHook` then includes the forces on the cells.
   *
   * @default false
   */
  readonly cell?: boolean | CellOptions;
}

/** Checked options for the relaxation of cells, with defaults. */
export interface CheckedCell {
  /** External pressure, eV/Å³. */
  readonly pressure: PerSystem;
  /** 1 if only the size of the cells changes, otherwise 0. */
  readonly isotropic: number;
}

/**
 * Checks the option `cell`, and returns it with defaults; `undefined` if cells are not relaxed. Throws a TypeError or
 * RangeError that names engine and option.
 */
export function checkCell(engine: string, cell: unknown): CheckedCell | undefined {
  if (cell === undefined || cell === false) return undefined;
  if (cell === true) return { pressure: 0, isotropic: 0 };
  const action = `make ${engine}`;
  checkKind(action, "cell", cell, "a boolean or an object", isObject);
  checkKeys(action, "cell", cell as CellOptions, ["pressure", "isotropic"]);
  const { pressure = 0, isotropic = false } = cell as CellOptions;
  checkParameter(engine, "pressure", pressure, Rule.PRESSURE);
  checkKind(action, "isotropic", isotropic, "a boolean", (x) => typeof x === "boolean");
  return { pressure, isotropic: Number(isotropic) };
}
