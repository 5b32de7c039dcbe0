import type { Names } from "../../hooks/registry/hook_set.ts";
import { call } from "../../backend/backend.ts";
import { checkNumber, type NumberRule } from "../../base/check_number.ts";
import { checkKind } from "../../base/check_options.ts";
import { lbfgsStep } from "../../kernels/relax/lbfgs_step.ts";
import { outputsOf } from "../../models/model.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import type { Integrator } from "../integrators/integrator.ts";
import {
  checkedParameters,
  type ParameterTable,
  parameterTable,
  type PerSystem,
  Rule,
} from "../integrators/parameters.ts";
import { checkCell, type RelaxerOptions } from "./cell_options.ts";
import { openCell, withCell } from "./cell_relaxation.ts";
import { lbfgsCellHistory, lbfgsState } from "./lbfgs_state.ts";

/** Options of {@linkcode LBFGS}, in addition to those of every engine. */
export interface LBFGSOptions extends RelaxerOptions {
  /** Number of steps that are remembered with the changes of the forces, from 1 to 100. @default 6 */
  readonly memory?: number;
  /** Largest displacement of an atom in one step, Å. A longer step is scaled as a whole. @default 0.2 */
  readonly maxStep?: PerSystem;
  /** Factor by which each step is multiplied, above 0 and at most 1. @default 1 */
  readonly damping?: PerSystem;
  /** Initial estimate of the curvature, eV/Å². @default 70 */
  readonly curvature?: PerSystem;
  /** True to undo and shorten a step that does not lower the energy enough. @default false */
  readonly lineSearch?: boolean;
}

const NAME = "LBFGS";
const PARAMETERS: ParameterTable<LBFGSOptions> = {
  memory: { initial: 6 },
  maxStep: { rule: Rule.POSITIVE, initial: 0.2 },
  damping: { rule: Rule.SHRINKING, initial: 1 },
  curvature: { rule: Rule.POSITIVE, initial: 70 },
  lineSearch: { initial: false },
  cell: { initial: false },
};
/** Rule for the number of remembered steps. More than 100 give no advantage. */
const MEMORY: NumberRule = {
  requirement: "a whole number from 1 to 100",
  holds: (x) => Number.isInteger(x) && x >= 1 && x <= 100,
};

/**
 * Returns limited-memory BFGS, the integrator of {@linkcode LBFGS}, for each system independently. The last `memory`
 * steps s, and the changes y of the forces over them, approximate the inverse Hessian H. A step is x += `damping` · H
 * F, scaled so that no atom moves by more than `maxStep`.
 *
 * - H F is computed by the two-loop recursion. Its initial scale is s·y/y·y of the last pair, or 1/`curvature` without pairs.
 * - Pairs with s·y ≤ 0 are not kept. If H F is not a descent direction, all pairs are discarded.
 * - With `lineSearch`, a step is shortened to the minimum of a parabola until the energy falls by at least 1e-4 of the change that the forces predict. Each attempt counts as a step.
 *
 * Liu, Nocedal, Math. Program. 45, 503 (1989).
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, LBFGS, lbfgsRelaxer } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { maxStep: 0.1 };
 * await using dynamics = new Dynamics(lbfgsRelaxer(options), { model });
 * await using engine = new LBFGS({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function lbfgsRelaxer(options: LBFGSOptions = {}): Integrator {
  const parameters = checkedParameters(NAME, options, PARAMETERS);
  const { memory, maxStep, damping, curvature, lineSearch } = parameters;
  checkNumber(`make ${NAME}`, "memory", memory, MEMORY);
  checkKind(`make ${NAME}`, "lineSearch", lineSearch, "a boolean", (x) => typeof x === "boolean");
  const cell = checkCell(NAME, parameters.cell);
  return {
    name: NAME,
    parameters: Object.keys(PARAMETERS),
    values: parameters,
    needsEnergy: lineSearch,
    needsStress: cell !== undefined,
    open(state) {
      const cells = cell && openCell(state, NAME, cell, lineSearch);
      const energy = cells === undefined ? outputsOf(state).energy : cells.enthalpy;
      const step = call(lbfgsStep, {
        positions: cells?.positions ?? state.field("positions"),
        forces: cells?.forces ?? state.field("forces"),
        energy: lineSearch ? energy : undefined,
        ...lbfgsState(state, memory),
        // The order must be that of LbfgsParameter.
        parameters: parameterTable(state, NAME, { curvature, damping, maxStep }),
        depth: memory,
        cellPositions: cells?.cellPositions,
        cellForces: cells?.cellForces,
        cellHistory: cells && lbfgsCellHistory(state, memory),
      });
      return withCell(step, cells);
    },
  };
}

/**
 * Structure relaxation with the integrator {@linkcode lbfgsRelaxer}. Near a minimum it needs far fewer steps than
 * FIRE. It runs for `nSteps`. With a `ConvergenceHook`, it stops updating a system once it has converged, and the run
 * ends when all systems have converged. It does not depend on masses and velocities.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { ConvergenceHook, LBFGS } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assert } from "@std/assert";
 *
 * const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
 * await using opt = new LBFGS({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   nSteps: 500,
 *   hooks: [ConvergenceHook.fromFmax(0.01)],
 * });
 * await opt.run(batch);
 * assert(batch.get("status")[0] === 1 && opt.stepCount < 40);
 * ```
 */
export class LBFGS<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: LBFGSOptions & DynamicsOptions<H, N, W>) {
    super(lbfgsRelaxer(options), options);
  }
}
