import type { Names } from "../../hooks/registry/hook_set.ts";
import { checkBarostat, openBarostat } from "./barostat.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import type { Integrator } from "./integrator.ts";
import { checkedParameters, type ParameterTable, type PerSystem, Rule } from "./parameters.ts";
import { PRESSURE_PARAMETERS, type PressureOptions } from "./shared_options.ts";

/** Options of {@linkcode NPH}, in addition to those of every engine. */
export interface NPHOptions extends PressureOptions {
  /**
   * Approximate temperature of the system, K. Together with `barostatTime` it determines the inertia of the cell, and
   * has no other effect.
   *
   * @default 300
   */
  readonly temperature?: PerSystem;
}

const NAME = "NPH";
const PARAMETERS: ParameterTable<NPHOptions> = {
  ...PRESSURE_PARAMETERS,
  temperature: { rule: Rule.POSITIVE, initial: 300 },
};

/**
 * Returns the integrator of {@linkcode NPH}: dynamics at constant pressure and enthalpy by Martyna, Tobias and Klein,
 * without thermostats. The difference between the internal and the external pressure drives the strain rate ν of the
 * cell h:
 *
 * ẋ = v + ν x; v̇ = F/m − (ν + Tr ν/f) v; ḣ = ν h; W ν̇ = Σ m v⊗v + Ξ − p V + 2K/f.
 *
 * | symbol | meaning | unit |
 * |---|---|---|
 * | x, v, F, m | positions, velocities, forces, masses | Å, Å/fs, eV/Å, amu |
 * | h, V | the cell, its volume | Å, Å³ |
 * | ν | the rate of strain, symmetric: the cell does not rotate | 1/fs |
 * | Ξ, K | Σ F⊗x = −dE/dε, kinetic energy | eV |
 * | f | degrees of freedom: 3 less for a center of mass at rest | |
 * | p | `pressure` | eV/Å³ |
 * | τ, T | `barostatTime`, `temperature`: W = (f/3 + 1) k_B T τ² | fs, K |
 *
 * ν is replaced by the mean of its diagonal if `pressureCoupling` is "isotropic", and by its diagonal if it is
 * "anisotropic". Then 1 or 3 numbers of the cell change instead of 6. For N atoms, f/3 + 1 is N + 1 if the center of
 * mass may move, and N if it is at rest.
 *
 * A step is half a kick of ν, half a kick of v, a drift of x and h, new forces, and both half kicks in reverse order.
 * Each part is solved exactly (e^(ν dt), by its series), so the step is symmetric in time and of second order. The
 * integrator conserves E + K + p V + ½ W Tr ν² up to order dt², and keeps a center of mass at rest. Martyna, Tobias,
 * Klein, J. Chem. Phys. 101, 4177 (1994); Martyna, Tuckerman, Tobias, Klein, Mol. Phys. 87, 1117 (1996).
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, NPH, nphIntegrator } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { dt: 2, temperature: 40, pressure: 0, barostatTime: 500 };
 * await using dynamics = new Dynamics(nphIntegrator(options), { model });
 * await using engine = new NPH({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function nphIntegrator(options: NPHOptions): Integrator {
  const parameters = checkedParameters(NAME, options, PARAMETERS);
  checkBarostat(NAME, parameters);
  return {
    name: NAME,
    parameters: Object.keys(PARAMETERS),
    values: parameters,
    dt: parameters.dt,
    keepsMomentum: true,
    needsStress: true,
    open(state) {
      const { kickCell, kick, drift } = openBarostat(state, NAME, parameters);
      return { pre: [kickCell, kick, drift], post: [kick, kickCell] };
    },
  };
}

/**
 * Molecular dynamics at constant pressure and enthalpy, with the integrator {@linkcode nphIntegrator}. The cell
 * changes until the internal pressure equals the external one on average. All systems must be periodic in all
 * directions, and the model must provide stresses.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { BAR, NPH } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.4, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using md = new NPH({ model, dt: 2, pressure: 1000 * BAR, barostatTime: 500, temperature: 40 });
 * await md.run(batch, 100);
 * console.log(batch.get("cell")[0]); // Å
 * ```
 */
export class NPH<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: NPHOptions & DynamicsOptions<H, N, W>) {
    super(nphIntegrator(options), options);
  }
}
