import { call } from "../../backend/backend.ts";
import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { fireStep } from "../../kernels/relax/fire_step.ts";
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

/** What {@linkcode FIRE} needs besides a model; times in Å·√(amu/eV), as in ASE. */
export interface FIREOptions {
  /** The step to begin with, Å·√(amu/eV): 1 is 10.18 fs. */
  readonly dt: PerSystem;
  /** The longest step. @default 10 dt */
  readonly dtMax?: PerSystem;
  /** The shortest step. @default 0.02 dt */
  readonly dtMin?: PerSystem;
  /** The furthest that an atom goes in one step, Å. @default 0.2 */
  readonly maxStep?: PerSystem;
  /** After how many steps downhill the step grows. @default 5 */
  readonly nMin?: PerSystem;
  /** What an uphill step multiplies dt by. @default 0.5 */
  readonly fDec?: PerSystem;
  /** What a downhill step multiplies dt by. @default 1.1 */
  readonly fInc?: PerSystem;
  /** How much velocities are turned towards the forces, to begin with. @default 0.1 */
  readonly alphaStart?: PerSystem;
  /** What a downhill step multiplies that by. @default 0.99 */
  readonly fAlpha?: PerSystem;
  /**
   * Whether cells relax, too, along their periodic directions, and how. The `fmax` of a `ConvergenceHook` then has their
   * part in it: see {@linkcode CellOptions}.
   *
   * @default false
   */
  readonly cell?: boolean | CellOptions;
}

const NAME = "FIRE";
const PARAMETERS: readonly (keyof FIREOptions)[] = [
  "dt",
  "dtMax",
  "dtMin",
  "maxStep",
  "nMin",
  "fDec",
  "fInc",
  "alphaStart",
  "fAlpha",
  "cell",
];

/**
 * The fast inertial relaxation engine, the scheme of {@linkcode FIRE}; each system by itself, with P = Σ v·F.
 *
 * - P > 0: after `nMin` such steps in a row dt grows by `fInc` up to `dtMax`, and α shrinks by `fAlpha`;
 *   v = (1 − α) v + α |v|/|F| F.
 * - else: v = 0, dt shrinks by `fDec` down to `dtMin`, α = `alphaStart`.
 *
 * Then v += dt F/m, x += dt v, at most `maxStep` for each atom. Velocities begin at what the batch has: 0 unless set.
 * Bitzek, Koskinen, Gähler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201 (2006).
 */
export function fire(options: FIREOptions): Integrator {
  checkOptions(NAME, options, PARAMETERS);
  const { dt } = options;
  checkParameter(NAME, "dt", dt, Rule.POSITIVE);
  const { dtMax = times(dt, 10), dtMin = times(dt, 0.02), maxStep = 0.2, nMin = 5 } = options;
  const { fDec = 0.5, fInc = 1.1, alphaStart = 0.1, fAlpha = 0.99 } = options;
  checkParameter(NAME, "dtMax", dtMax, Rule.POSITIVE);
  checkParameter(NAME, "dtMin", dtMin, Rule.POSITIVE);
  checkParameter(NAME, "maxStep", maxStep, Rule.POSITIVE);
  checkParameter(NAME, "nMin", nMin, Rule.COUNT);
  checkParameter(NAME, "fDec", fDec, Rule.SHRINKING);
  checkParameter(NAME, "fInc", fInc, Rule.GROWING);
  checkParameter(NAME, "alphaStart", alphaStart, Rule.FRACTION);
  checkParameter(NAME, "fAlpha", fAlpha, Rule.SHRINKING);
  const cell = checkCell(NAME, options.cell);
  return {
    name: NAME,
    parameters: PARAMETERS,
    needsStress: cell !== undefined,
    open(state) {
      const cells = cell && openCell(state, NAME, cell);
      const step = call(fireStep, {
        ...fireState(state, NAME, dt, alphaStart),
        ...cells && { ...cells, cellVelocities: cellVelocities(state) },
        weights: state.weights(),
        // In the order of FireParameter.
        parameters: parameterTable(state, NAME, {
          dtMax: times(dtMax, TIME_UNIT_FS),
          dtMin: times(dtMin, TIME_UNIT_FS),
          maxStep,
          nMin,
          fDec,
          fInc,
          alphaStart,
          fAlpha,
        }),
      });
      return { pre: cells ? [...cells.before, step, ...cells.after] : [step], post: [] };
    },
  };
}

/**
 * Structure relaxation by {@linkcode fire}. It goes on until `nSteps`; with a `ConvergenceHook` systems that are
 * relaxed stop moving, and the run ends when all are.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { ConvergenceHook, FIRE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
 * const batch = Batch.from([rattle(crystal, 0.1, 1), rattle(crystal, 0.1, 2)]);
 *
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.5,
 *   nSteps: 500,
 *   hooks: [ConvergenceHook.fromFmax(0.01)],
 * });
 * await opt.run(batch);
 * assertEquals([...batch.get("status")], [1, 1]); // both are relaxed
 * ```
 */
// deno-lint-ignore house/inheritance -- a named Dynamics: nothing of it is changed
export class FIRE<const H extends FirstHooks = FirstHooks> extends Dynamics<H> {
  /** Makes an engine; nothing runs yet. */
  constructor(options: FIREOptions & DynamicsOptions<H>) {
    super(fire(options), options);
  }
}
