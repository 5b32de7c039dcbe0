/**
 * How cells relax, as it is asked for.
 *
 * @module
 */

import { checkKeys } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { checkParameter, type PerSystem, Rule } from "../integrators/integrator.ts";

/** How the cells of a batch relax. */
export interface CellOptions {
  /** The pressure from outside, eV/Å³, as `0.1 * GIGAPASCAL`: E + P V is lowered, to a stress of −P. @default 0 */
  readonly pressure?: PerSystem;
  /** Whether cells keep their shape, and only grow or shrink. @default false */
  readonly isotropic?: boolean;
}

/** The same with nothing left out; 1 for what is isotropic. */
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
  if (!isObject(cell)) {
    throw new TypeError(complaint(action, "cell must be a boolean or an object", cell));
  }
  checkKeys(action, "cell", cell, ["pressure", "isotropic"]);
  const { pressure = 0, isotropic = false } = cell as CellOptions;
  checkParameter(engine, "pressure", pressure, Rule.PRESSURE);
  if (typeof isotropic !== "boolean") {
    throw new TypeError(complaint(action, "isotropic must be a boolean", isotropic));
  }
  return { pressure, isotropic: Number(isotropic) };
}
