import { call } from "../../backend/backend.ts";
import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { fire2Step } from "../../kernels/relax/fire2_step.ts";
import { type CellOptions, checkCell } from "./cell_options.ts";
import { openCell } from "./cell_relaxation.ts";
import { Dynamics } from "../dynamics.ts";
import { cellVelocities, fireState } from "./fire_state.ts";
import type { DynamicsOptions, FirstHooks } from "../engine/dynamics_options.ts";
import {
  checkOptions,
  checkParameter,
  type Integrator,
  parameterTable,
  type PerSystem,
  Rule,
  times,
} from "../integrators/integrator.ts";

/** What {@linkcode FIRE2} needs besides a model; times in Å·√(amu/eV), as in ASE. */
export interface FIRE2Options {
  /** The step to begin with, Å·√(amu/eV). */
  readonly dt: PerSystem;
  /** After how many steps downhill the step grows. @default 60 */
  readonly delayStep?: PerSystem;
  /** What a downhill step multiplies dt by. @default 1.05 */
  readonly dtGrow?: PerSystem;
  /** What an uphill step multiplies dt by. @default 0.75 */
  readonly dtShrink?: PerSystem;
  /** What a downhill step multiplies α by. @default 0.985 */
  readonly alphaShrink?: PerSystem;
  /** α to begin with, and after an uphill step. @default 0.09 */
  readonly alpha0?: PerSystem;
  /** The longest step. @default 0.08 */
  readonly tMax?: PerSystem;
  /** The shortest step that an uphill step leaves. @default 0.005 */
  readonly tMin?: PerSystem;
  /** The furthest that any atom of a system goes in one step, Å: all its atoms are held back together. @default 0.1 */
  readonly maxStep?: PerSystem;
  /**
   * Whether cells relax, too, along their periodic directions, and how. The `fmax` of a `ConvergenceHook` then has their
   * part in it: see {@linkcode CellOptions}.
   *
   * @default false
   */
  readonly cell?: boolean | CellOptions;
}

const NAME = "FIRE2";
const PARAMETERS: readonly (keyof FIRE2Options)[] = [
  "dt",
  "delayStep",
  "dtGrow",
  "dtShrink",
  "alphaShrink",
  "alpha0",
  "tMax",
  "tMin",
  "maxStep",
  "cell",
];

/**
 * FIRE 2.0, the scheme of {@linkcode FIRE2}: as `fire`, but every atom has 1 amu, velocities take their kick before
 * P = Σ v·F is looked at, an uphill step goes half a step back, and what is too far is scaled for the whole system.
 *
 * Guénolé, Nöhring, Vaid, Houllé, Xie, Prakash, Bitzek, Comput. Mater. Sci. 175, 109584 (2020).
 */
export function fire2(options: FIRE2Options): Integrator {
  checkOptions(NAME, options, PARAMETERS);
  const { dt, delayStep = 60, dtGrow = 1.05, dtShrink = 0.75, alphaShrink = 0.985 } = options;
  const { alpha0 = 0.09, tMax = 0.08, tMin = 0.005, maxStep = 0.1 } = options;
  checkParameter(NAME, "dt", dt, Rule.POSITIVE);
  checkParameter(NAME, "delayStep", delayStep, Rule.COUNT);
  checkParameter(NAME, "dtGrow", dtGrow, Rule.GROWING);
  checkParameter(NAME, "dtShrink", dtShrink, Rule.SHRINKING);
  checkParameter(NAME, "alphaShrink", alphaShrink, Rule.SHRINKING);
  checkParameter(NAME, "alpha0", alpha0, Rule.FRACTION);
  checkParameter(NAME, "tMax", tMax, Rule.POSITIVE);
  checkParameter(NAME, "tMin", tMin, Rule.POSITIVE);
  checkParameter(NAME, "maxStep", maxStep, Rule.POSITIVE);
  const cell = checkCell(NAME, options.cell);
  return {
    name: NAME,
    parameters: PARAMETERS,
    needsStress: cell !== undefined,
    open(state) {
      const cells = cell && openCell(state, NAME, cell);
      const step = call(fire2Step, {
        ...fireState(state, NAME, dt, alpha0),
        ...cells && { ...cells, cellVelocities: cellVelocities(state) },
        // In the order of Fire2Parameter.
        parameters: parameterTable(state, NAME, {
          tMax: times(tMax, TIME_UNIT_FS),
          tMin: times(tMin, TIME_UNIT_FS),
          maxStep,
          delayStep,
          dtShrink,
          dtGrow,
          alpha0,
          alphaShrink,
        }),
      });
      return { pre: cells ? [...cells.before, step, ...cells.after] : [step], post: [] };
    },
  };
}

/**
 * Structure relaxation by {@linkcode fire2}, which does not look at masses.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { ConvergenceHook, FIRE2 } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
 * await using opt = new FIRE2({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.05,
 *   tMax: 1,
 *   nSteps: 500,
 *   hooks: [ConvergenceHook.fromFmax(0.01)],
 * });
 * await opt.run(batch);
 * ```
 */
// deno-lint-ignore house/inheritance -- a named Dynamics: nothing of it is changed
export class FIRE2<const H extends FirstHooks = FirstHooks> extends Dynamics<H> {
  /** Makes an engine; nothing runs yet. */
  constructor(options: FIRE2Options & DynamicsOptions<H>) {
    super(fire2(options), options);
  }
}
