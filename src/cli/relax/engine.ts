/**
 * Optimizers of the commands `relax` and `screen`.
 *
 * @module
 */

import type { Dynamics } from "../../dynamics/dynamics.ts";
import type { DynamicsOptions } from "../../dynamics/engine/dynamics_options.ts";
import type { CellOptions } from "../../dynamics/relaxers/cell_options.ts";
import { GIGAPASCAL } from "../../kernels/constants.ts";
import type { CommandRun } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { RelaxSettings } from "./settings.ts";

/** Settings of the optimizer. */
export type OptimizerSettings = Pick<
  RelaxSettings,
  "optimizer" | "dt" | "cell" | "isotropic" | "pressure" | "engineOptions"
>;

/** Returns the option that makes cells relax; undefined if cells stay as they are. */
export function cellOption(
  { cell, isotropic }: Pick<OptimizerSettings, "cell" | "isotropic">,
): string | undefined {
  return isotropic ? "--isotropic" : cell ? "--cell" : undefined;
}

/** Throws a UsageError if an option has no effect: a time step of lbfgs, or a pressure although cells stay as they are. */
export function checkCellOptions(
  { optimizer, cell, isotropic, pressure }: OptimizerSettings,
  { given }: Pick<CommandRun, "given">,
): void {
  if (given.has("dt") && optimizer === "lbfgs") {
    throw new UsageError("Cannot use --dt: lbfgs has no time step; pass --optimizer fire, too");
  }
  if (given.has("pressure") && pressure !== 0 && !cell && !isotropic) {
    throw new UsageError(
      "Cannot use --pressure: it acts on the cells; pass --cell or --isotropic, too",
    );
  }
  if (given.has("smax") && !cell && !isotropic) {
    throw new UsageError(
      "Cannot use --smax: it is about the cells; pass --cell or --isotropic, too",
    );
  }
}

/** Opens the optimizer. Only its code is loaded. */
export async function openEngine(
  { optimizer, dt, cell: all, isotropic, pressure, engineOptions }: OptimizerSettings,
  options: DynamicsOptions,
): Promise<Dynamics> {
  const cell: CellOptions | false = (all || isotropic) && {
    pressure: pressure * GIGAPASCAL,
    isotropic,
  };
  const more = { cell, ...engineOptions, ...options };
  switch (optimizer) {
    case "lbfgs":
      return new (await import("../../dynamics/relaxers/lbfgs.ts")).LBFGS(more);
    case "fire":
      return new (await import("../../dynamics/relaxers/fire.ts")).FIRE({ dt, ...more });
    case "fire2":
      return new (await import("../../dynamics/relaxers/fire2.ts")).FIRE2({ dt, ...more });
  }
}
