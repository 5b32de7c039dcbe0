import type { Names } from "../../hooks/registry/hook_set.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import type { Integrator } from "./integrator.ts";
import {
  checkedParameters,
  parameter,
  type ParameterTable,
  type PerSystem,
  Rule,
} from "./parameters.ts";
import { STOCHASTIC_PARAMETERS, type StochasticThermostatOptions } from "./shared_options.ts";
import { thermalize } from "./baths.ts";
import { drift, kick } from "./motion.ts";

/** Options of {@linkcode NVTLangevin}, in addition to those of every engine. */
export interface NVTLangevinOptions extends StochasticThermostatOptions {
  /** Friction γ, 1/fs. Velocities decorrelate within 1/γ: 100 fs for 0.01. With friction 0 the dynamics is NVE. */
  readonly friction: PerSystem;
}

const NAME = "NVTLangevin";
const PARAMETERS: ParameterTable<NVTLangevinOptions> = {
  ...STOCHASTIC_PARAMETERS,
  friction: { rule: Rule.NOT_NEGATIVE },
};

/**
 * Returns Langevin dynamics in the splitting BAOAB, the integrator of {@linkcode NVTLangevin}: half a kick (B), half
 * a drift (A), friction and noise for a whole step (O: v = e^(−γ dt) v + √((1 − e^(−2γ dt)) k_B T/m) ξ), half a drift
 * (A), new forces, half a kick (B).
 *
 * | symbol | meaning | unit |
 * |---|---|---|
 * | γ | `friction` | 1/fs |
 * | T | `temperature` | K |
 * | ξ | Gaussian numbers, determined by seed, system id, step of the system, and atom | |
 *
 * The integrator samples the canonical ensemble. Configurational averages are exact for harmonic forces; otherwise
 * their error is of order dt² (often dt⁴). It conserves `conservedEnergy`, the sum of E, K and the energy that the
 * thermostat has taken out, up to a bounded error of order dt² (Bussi, Parrinello, Phys. Rev. E 75, 056707, 2007).
 * Leimkuhler, Matthews, Appl. Math. Res. Express 2013, 34.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, langevin, NVTLangevin } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { dt: 2, temperature: 40, friction: 0.01, seed: 1 };
 * await using dynamics = new Dynamics(langevin(options), { model });
 * await using engine = new NVTLangevin({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function langevin(options: NVTLangevinOptions): Integrator {
  const values = checkedParameters(NAME, options, PARAMETERS);
  const { dt, temperature, friction, seed } = values;
  return {
    name: NAME,
    parameters: Object.keys(PARAMETERS),
    values,
    dt,
    temperature,
    open(state) {
      const step = parameter(state, NAME, "dt", dt);
      const [push, half] = [kick(state, step), drift(state, step, 0.5)];
      const bath = thermalize(state, step, {
        temperature: parameter(state, NAME, "temperature", temperature),
        friction: parameter(state, NAME, "friction", friction),
        seed,
      });
      return { pre: [push, half, bath, half], post: [push] };
    },
  };
}

/**
 * Molecular dynamics at constant temperature, with the integrator {@linkcode langevin}.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVTLangevin } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using md = new NVTLangevin({ model, dt: 2, temperature: 40, friction: 0.01, seed: 7 });
 * await md.run(batch, 100);
 * ```
 */
export class NVTLangevin<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: NVTLangevinOptions & DynamicsOptions<H, N, W>) {
    super(langevin(options), options);
  }
}
