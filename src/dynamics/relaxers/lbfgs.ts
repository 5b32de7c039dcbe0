import { call } from "../../backend/backend.ts";
import { lbfgsStep } from "../../kernels/relax/lbfgs_step.ts";
import { complaint } from "../../base/show.ts";
import { outputsOf } from "../../models/model.ts";
import { type CellOptions, checkCell } from "./cell_options.ts";
import { openCell } from "./cell_relaxation.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks } from "../engine/dynamics_options.ts";
import { lbfgsCellHistory, lbfgsState } from "./lbfgs_state.ts";
import {
  checkOptions,
  checkParameter,
  type Integrator,
  parameterTable,
  type PerSystem,
  Rule,
} from "../integrators/integrator.ts";

/** What {@linkcode LBFGS} needs besides a model. */
export interface LBFGSOptions {
  /** How many steps are kept, with the changes of the forces: up to 100. @default 6 */
  readonly memory?: number;
  /** The furthest that any atom of a system goes in one step, Å: all its atoms are held back together. @default 0.2 */
  readonly maxStep?: PerSystem;
  /** What each step is multiplied by. @default 1 */
  readonly damping?: PerSystem;
  /** What the curvature is taken to be before any is known, eV/Å². @default 70 */
  readonly curvature?: PerSystem;
  /** Whether a step that does not lower the energy enough is taken back and shortened. @default false */
  readonly lineSearch?: boolean;
  /**
   * Whether cells relax, too, along their periodic directions, and how. The `fmax` of a `ConvergenceHook` then has their
   * part in it: see {@linkcode CellOptions}.
   *
   * @default false
   */
  readonly cell?: boolean | CellOptions;
}

const NAME = "LBFGS";
const PARAMETERS: readonly (keyof LBFGSOptions)[] = [
  "memory",
  "maxStep",
  "damping",
  "curvature",
  "lineSearch",
  "cell",
];
/** Whoever has more memory than that gains nothing by it. */
const MOST_PAIRS = 100;

/**
 * Limited-memory BFGS, the scheme of {@linkcode LBFGS}; each system by itself. From the last `memory` steps s and the
 * changes y of the forces over them it knows curvatures: x += `damping` · H F, at most `maxStep` for the atom that goes
 * furthest.
 *
 * - H F by the recursion of two loops, from s·y/y·y of the last pair, or 1/`curvature` where there is none.
 * - Pairs with s·y ≤ 0 are not kept; where H F is not downhill, all are forgotten.
 * - With `lineSearch` a step after which the energy has not fallen by 1e-4 of what the forces promised is shortened,
 *   to where a parabola is least, as often as it takes; it costs no more evaluations than steps.
 *
 * Liu, Nocedal, Math. Program. 45, 503 (1989).
 */
export function lbfgs(options: LBFGSOptions = {}): Integrator {
  checkOptions(NAME, options, PARAMETERS);
  const { memory = 6, maxStep = 0.2, damping = 1, curvature = 70, lineSearch = false } = options;
  checkMemory(memory);
  checkParameter(NAME, "maxStep", maxStep, Rule.POSITIVE);
  checkParameter(NAME, "damping", damping, Rule.SHRINKING);
  checkParameter(NAME, "curvature", curvature, Rule.POSITIVE);
  if (typeof lineSearch !== "boolean") {
    throw new TypeError(complaint(`make ${NAME}`, "lineSearch must be a boolean", lineSearch));
  }
  const cell = checkCell(NAME, options.cell);
  return {
    name: NAME,
    parameters: PARAMETERS,
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
        // In the order of LbfgsParameter.
        parameters: parameterTable(state, NAME, { curvature, damping, maxStep }),
        depth: memory,
        cellPositions: cells?.cellPositions,
        cellForces: cells?.cellForces,
        cellHistory: cells && lbfgsCellHistory(state, memory),
      });
      return { pre: cells ? [...cells.before, step, ...cells.after] : [step], post: [] };
    },
  };
}

function checkMemory(memory: unknown): void {
  if (typeof memory !== "number") {
    throw new TypeError(complaint(`make ${NAME}`, "memory must be a number", memory));
  }
  if (Number.isInteger(memory) && memory >= 1 && memory <= MOST_PAIRS) return;
  throw new RangeError(
    `Cannot make ${NAME} as memory must be a whole number from 1 to ${MOST_PAIRS}: current value is ${memory}`,
  );
}

/**
 * Structure relaxation by {@linkcode lbfgs}: far fewer steps than FIRE near a minimum. It goes on until `nSteps`; with
 * a `ConvergenceHook` systems that are relaxed stop moving, and the run ends when all are. It does not look at masses
 * or velocities.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
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
// deno-lint-ignore house/inheritance -- a named Dynamics: nothing of it is changed
export class LBFGS<const H extends FirstHooks = FirstHooks> extends Dynamics<H> {
  /** Makes an engine; nothing runs yet. */
  constructor(options: LBFGSOptions & DynamicsOptions<H>) {
    super(lbfgs(options), options);
  }
}
