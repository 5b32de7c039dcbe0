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

/** Options of {@linkcode FIRE} besides those of every engine; times in Å·√(amu/eV), as in ASE. */
export interface FIREOptions extends RelaxerOptions {
  /** The initial step, Å·√(amu/eV): 1 is 10.18 fs. */
  readonly dt: PerSystem;
  /** The longest step. @default 10 dt */
  readonly dtMax?: PerSystem;
  /** The shortest step. @default 0.02 dt */
  readonly dtMin?: PerSystem;
  /** The largest displacement of an atom in one step, Å. @default 0.2 */
  readonly maxStep?: PerSystem;
  /** The number of downhill steps before the step grows. @default 5 */
  readonly nMin?: PerSystem;
  /** The factor that multiplies dt in an uphill step. @default 0.5 */
  readonly fDec?: PerSystem;
  /** The factor that multiplies dt in a downhill step. @default 1.1 */
  readonly fInc?: PerSystem;
  /** The initial mixing parameter α, by which velocities are turned towards the forces. @default 0.1 */
  readonly alphaStart?: PerSystem;
  /** The factor that multiplies α in a downhill step. @default 0.99 */
  readonly fAlpha?: PerSystem;
}

const NAME = "FIRE";
const PARAMETERS: ParameterTable<FIREOptions> = {
  dt: { rule: Rule.POSITIVE },
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
 * Returns the fast inertial relaxation engine, the integrator of {@linkcode FIRE}, for each system independently,
 * with P = Σ v·F.
 *
 * - P > 0: after `nMin` such steps in a row dt grows by `fInc` up to `dtMax`, and α shrinks by `fAlpha`;
 *   v = (1 − α) v + α |v|/|F| F.
 * - else: v = 0, dt shrinks by `fDec` down to `dtMin`, α = `alphaStart`.
 *
 * Then v += dt F/m, x += dt v, at most `maxStep` for each atom. The initial velocities are those of the batch: 0
 * unless set. Bitzek, Koskinen, Gähler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201 (2006).
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
    // In the order of FireParameter.
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
 * Structure relaxation by {@linkcode fireRelaxer}. It runs for `nSteps`. With a `ConvergenceHook` it stops
 * updating a system once it has converged, and the run ends when all have.
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
export class FIRE<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Makes an engine; nothing runs yet. */
  constructor(options: FIREOptions & DynamicsOptions<H, N, W>) {
    super(fireRelaxer(options), options);
  }
}
