/**
 * Options of the relaxation of cells.
 *
 * @module
 */

import { checkKeys, checkKind } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { checkParameter, type PerSystem, Rule } from "../integrators/parameters.ts";

/** Options of the relaxation of the cells of a batch. */
export interface CellOptions {
  /** The pressure from outside, eV/Å³, as `0.1 * GIGAPASCAL`: E + P V is lowered, to a stress of −P. @default 0 */
  readonly pressure?: PerSystem;
  /** True to keep the shape of cells, and only change their size. @default false */
  readonly isotropic?: boolean;
}

/** Options of all relaxers. */
export interface RelaxerOptions {
  /**
   * Relaxes the cells as well, along their periodic directions. The `fmax` of a `ConvergenceHook` then includes their
   * part: see {@linkcode CellOptions}.
   *
   * @default false
   */
  readonly cell?: boolean | CellOptions;
}

/** The options with all defaults; 1 for isotropic cells. */
export interface CheckedCell {
  /** eV/Å³. */
  readonly pressure: PerSystem;
  /** 1 or 0. */
  readonly isotropic: number;
}

/** Throws a TypeError or RangeError that names engine and option; `undefined` where cells stay as they are. */
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
