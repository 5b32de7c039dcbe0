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
import { rescaleVelocities } from "./baths.ts";
import { kick, kickDrift } from "./motion.ts";

/** Options of {@linkcode NVTBussi}, in addition to those of every engine. */
export interface NVTBussiOptions extends StochasticThermostatOptions {
  /** Relaxation time τ of the kinetic energy, fs. */
  readonly thermostatTime: PerSystem;
}

const NAME = "NVTBussi";
const PARAMETERS: ParameterTable<NVTBussiOptions> = {
  ...STOCHASTIC_PARAMETERS,
  thermostatTime: { rule: Rule.POSITIVE },
};

/**
 * Returns stochastic velocity rescaling (CSVR), the integrator of {@linkcode NVTBussi}: velocity Verlet, then v = α v
 * for each system, with α² = c + (1 − c) k_B T/2K Σ ξ_i² + 2 ξ₁ √(c (1 − c) k_B T/2K) and c = e^(−dt/τ). This is the
 * exact evolution of the kinetic energy in a heat bath over a whole step.
 *
 * | symbol | meaning | unit |
 * |---|---|---|
 * | T | `temperature` | K |
 * | τ | `thermostatTime` | fs |
 * | K | the kinetic energy before | eV |
 * | ξ_i | Gaussian numbers, one per degree of freedom, determined by seed, system id, and step of the system | |
 *
 * The integrator samples the canonical ensemble up to an error of order dt². It hardly disturbs the motion of the
 * atoms: the directions of velocities do not change, and a center of mass at rest stays at rest. It conserves
 * `conservedEnergy`, the sum of E, K and the energy taken out, up to a bounded error of order dt². A system that is
 * at rest and has no forces stays at rest. Bussi, Donadio, Parrinello, J. Chem. Phys. 126, 014101 (2007).
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, bussi, NVTBussi } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { dt: 2, temperature: 40, thermostatTime: 100, seed: 1 };
 * await using dynamics = new Dynamics(bussi(options), { model });
 * await using engine = new NVTBussi({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function bussi(options: NVTBussiOptions): Integrator {
  const values = checkedParameters(NAME, options, PARAMETERS);
  const { dt, temperature, thermostatTime, seed } = values;
  return {
    name: NAME,
    parameters: Object.keys(PARAMETERS),
    values,
    dt,
    temperature,
    keepsMomentum: true,
    open(state) {
      const step = parameter(state, NAME, "dt", dt);
      const bath = rescaleVelocities(state, step, {
        temperature: parameter(state, NAME, "temperature", temperature),
        time: parameter(state, NAME, "thermostatTime", thermostatTime),
        seed,
      });
      return { pre: [kickDrift(state, step)], post: [kick(state, step), bath] };
    },
  };
}

/**
 * Molecular dynamics at constant temperature, with the integrator {@linkcode bussi}, which is also known as CSVR and
 * v-rescale.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVTBussi } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using md = new NVTBussi({ model, dt: 2, temperature: 40, thermostatTime: 100, seed: 7 });
 * await md.run(batch, 100);
 * ```
 */
export class NVTBussi<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: NVTBussiOptions & DynamicsOptions<H, N, W>) {
    super(bussi(options), options);
  }
}
