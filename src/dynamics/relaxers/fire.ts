import type { Names } from "../../hooks/registry/hook_set.ts";
import { call } from "../../backend/backend.ts";
import { fireStep } from "../../kernels/relax/fire_step.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import type { Integrator } from "../integrators/integrator.ts";
import {
  checkedParameters,
  type ParameterTable,
  type PerSystem,
  Rule,
  times,
} from "../integrators/parameters.ts";
import type { RelaxerOptions } from "./cell_options.ts";
import { fireIntegrator, inFemtoseconds } from "./fire_integrator.ts";

/** Options of {@linkcode FIRE}, in addition to those of every engine. Times are in Å·√(amu/eV), as in ASE. */
export interface FIREOptions extends RelaxerOptions {
  /** Initial time step, Å·√(amu/eV), at most 10; 1 corresponds to 10.18 fs. */
  readonly dt: PerSystem;
  /** Longest time step, Å·√(amu/eV). @default 10 dt */
  readonly dtMax?: PerSystem;
  /** Shortest time step, Å·√(amu/eV). @default 0.02 dt */
  readonly dtMin?: PerSystem;
  /** Largest displacement of an atom in one step, Å. @default 0.2 */
  readonly maxStep?: PerSystem;
  /** Number of consecutive downhill steps before the time step grows. @default 5 */
  readonly nMin?: PerSystem;
  /** Factor by which an uphill step multiplies dt. @default 0.5 */
  readonly fDec?: PerSystem;
  /** Factor by which a downhill step multiplies dt. @default 1.1 */
  readonly fInc?: PerSystem;
  /** Initial value of the mixing parameter α, which turns velocities towards the forces. @default 0.1 */
  readonly alphaStart?: PerSystem;
  /** Factor by which a downhill step multiplies α. @default 0.99 */
  readonly fAlpha?: PerSystem;
}

const NAME = "FIRE";
const PARAMETERS: ParameterTable<FIREOptions> = {
  dt: { rule: Rule.RELAX_STEP },
  dtMax: { rule: Rule.POSITIVE, initial: (dt: PerSystem) => times(dt, 10) },
  dtMin: { rule: Rule.POSITIVE, initial: (dt: PerSystem) => times(dt, 0.02) },
  maxStep: { rule: Rule.POSITIVE, initial: 0.2 },
  nMin: { rule: Rule.COUNT, initial: 5 },
  fDec: { rule: Rule.SHRINKING, initial: 0.5 },
  fInc: { rule: Rule.GROWING, initial: 1.1 },
  alphaStart: { rule: Rule.FRACTION, initial: 0.1 },
  fAlpha: { rule: Rule.SHRINKING, initial: 0.99 },
  cell: { initial: false },
};

/**
 * Returns the fast inertial relaxation engine, the integrator of {@linkcode FIRE}. It treats each system
 * independently, with P = Σ v·F:
 *
 * - If P > 0, v = (1 − α) v + α |v|/|F| F. From the `nMin`-th such step in a row on, dt grows by `fInc` up to `dtMax`, and α shrinks by `fAlpha`.
 * - Otherwise v = 0, dt shrinks by `fDec` down to `dtMin`, and α = `alphaStart`.
 *
 * Then v += dt F/m and x += dt v, where each atom moves by at most `maxStep`. The initial velocities are those of the
 * batch, or 0 if it has none. Bitzek, Koskinen, Gähler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201 (2006).
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, FIRE, fireRelaxer } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { dt: 0.5 };
 * await using dynamics = new Dynamics(fireRelaxer(options), { model });
 * await using engine = new FIRE({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function fireRelaxer(options: FIREOptions): Integrator {
  const values = checkedParameters(NAME, options, PARAMETERS);
  const { dt, dtMax, dtMin, cell, ...others } = values;
  const { maxStep, nMin, fDec, fInc, alphaStart, fAlpha } = others;
  return fireIntegrator({
    name: NAME,
    parameters: Object.keys(PARAMETERS),
    values,
    dt,
    alpha: alphaStart,
    cell,
    // The order must be that of FireParameter.
    columns: {
      dtMax: inFemtoseconds(dtMax),
      dtMin: inFemtoseconds(dtMin),
      maxStep,
      nMin,
      fDec,
      fInc,
      alphaStart,
      fAlpha,
    },
    step: (state, args) => call(fireStep, { ...args, weights: state.weights() }),
  });
}

/**
 * Structure relaxation with the integrator {@linkcode fireRelaxer}. It runs for `nSteps`. With a `ConvergenceHook`,
 * it stops updating a system once it has converged, and the run ends when all systems have converged.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
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
export class FIRE<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: FIREOptions & DynamicsOptions<H, N, W>) {
    super(fireRelaxer(options), options);
  }
}
