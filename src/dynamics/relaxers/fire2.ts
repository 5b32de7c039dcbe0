import type { Names } from "../../hooks/registry/hook_set.ts";
import { call } from "../../backend/backend.ts";
import { fire2Step } from "../../kernels/relax/fire2_step.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import type { Integrator } from "../integrators/integrator.ts";
import {
  checkedParameters,
  type ParameterTable,
  type PerSystem,
  Rule,
} from "../integrators/parameters.ts";
import type { RelaxerOptions } from "./cell_options.ts";
import { fireIntegrator, inFemtoseconds } from "./fire_integrator.ts";

/** Options of {@linkcode FIRE2}, in addition to those of every engine. Times are in Å·√(amu/eV), as in ASE. */
export interface FIRE2Options extends RelaxerOptions {
  /** Initial time step, Å·√(amu/eV), at most 10; 1 corresponds to 10.18 fs. */
  readonly dt: PerSystem;
  /** Number of consecutive downhill steps before the time step grows. @default 60 */
  readonly delayStep?: PerSystem;
  /** Factor by which a downhill step multiplies dt. @default 1.05 */
  readonly dtGrow?: PerSystem;
  /** Factor by which an uphill step multiplies dt. @default 0.75 */
  readonly dtShrink?: PerSystem;
  /** Factor by which a downhill step multiplies α. @default 0.985 */
  readonly alphaShrink?: PerSystem;
  /** Mixing parameter α at the start and after an uphill step. @default 0.09 */
  readonly alpha0?: PerSystem;
  /** Longest time step, Å·√(amu/eV). @default 0.08 */
  readonly tMax?: PerSystem;
  /** Shortest time step to which uphill steps reduce dt, Å·√(amu/eV). @default 0.005 */
  readonly tMin?: PerSystem;
  /** Largest displacement of an atom in one step, Å. A longer step is scaled as a whole. @default 0.1 */
  readonly maxStep?: PerSystem;
}

const NAME = "FIRE2";
const PARAMETERS: ParameterTable<FIRE2Options> = {
  dt: { rule: Rule.RELAX_STEP },
  delayStep: { rule: Rule.COUNT, initial: 60 },
  dtGrow: { rule: Rule.GROWING, initial: 1.05 },
  dtShrink: { rule: Rule.SHRINKING, initial: 0.75 },
  alphaShrink: { rule: Rule.SHRINKING, initial: 0.985 },
  alpha0: { rule: Rule.FRACTION, initial: 0.09 },
  tMax: { rule: Rule.POSITIVE, initial: 0.08 },
  tMin: { rule: Rule.POSITIVE, initial: 0.005 },
  maxStep: { rule: Rule.POSITIVE, initial: 0.1 },
  cell: { initial: false },
};

/**
 * Returns FIRE 2.0, the integrator of {@linkcode FIRE2}. It differs from `fireRelaxer` in four points: all atoms have
 * a mass of 1 amu, velocities are kicked before P = Σ v·F is computed, an uphill step goes back by half a step, and
 * `maxStep` scales the step of the whole system.
 *
 * Guénolé, Nöhring, Vaid, Houllé, Xie, Prakash, Bitzek, Comput. Mater. Sci. 175, 109584 (2020).
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, FIRE2, fire2Relaxer } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { dt: 0.5 };
 * await using dynamics = new Dynamics(fire2Relaxer(options), { model });
 * await using engine = new FIRE2({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function fire2Relaxer(options: FIRE2Options): Integrator {
  const values = checkedParameters(NAME, options, PARAMETERS);
  const { dt, tMax, tMin, cell, ...others } = values;
  const { maxStep, delayStep, dtShrink, dtGrow, alpha0, alphaShrink } = others;
  return fireIntegrator({
    name: NAME,
    parameters: Object.keys(PARAMETERS),
    values,
    dt,
    alpha: alpha0,
    cell,
    // The order must be that of Fire2Parameter.
    columns: {
      tMax: inFemtoseconds(tMax),
      tMin: inFemtoseconds(tMin),
      maxStep,
      delayStep,
      dtShrink,
      dtGrow,
      alpha0,
      alphaShrink,
    },
    step: (_state, args) => call(fire2Step, args),
  });
}

/**
 * Structure relaxation with the integrator {@linkcode fire2Relaxer}, which does not depend on the masses of the
 * atoms.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
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
export class FIRE2<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: FIRE2Options & DynamicsOptions<H, N, W>) {
    super(fire2Relaxer(options), options);
  }
}
