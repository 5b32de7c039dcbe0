import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks } from "../engine/dynamics_options.ts";
import {
  checkOptions,
  checkParameter,
  type Integrator,
  parameter,
  type PerSystem,
  Rule,
} from "./integrator.ts";
import { kick, kickDrift, rescaleVelocities } from "./parts.ts";

/** What {@linkcode NVTBussi} needs besides a model. */
export interface NVTBussiOptions {
  /** The time of a step, fs. */
  readonly dt: PerSystem;
  /** The temperature of the bath, K. */
  readonly temperature: PerSystem;
  /** τ, within which the kinetic energy forgets what it was, fs. */
  readonly thermostatTime: PerSystem;
  /**
   * What the noise is drawn by: the same seed gives the same noise to a system, wherever it stands in a batch.
   *
   * @default 0
   */
  readonly seed?: number;
}

const NAME = "NVTBussi";
const PARAMETERS: readonly (keyof NVTBussiOptions)[] = [
  "dt",
  "temperature",
  "thermostatTime",
  "seed",
];

/**
 * Stochastic velocity rescaling (CSVR), the scheme of {@linkcode NVTBussi}: velocity Verlet, then v = α v for each system,
 * α² = c + (1 − c) k_B T/2K Σ ξ_i² + 2 ξ₁ √(c (1 − c) k_B T/2K), c = e^(−dt/τ), which is what the kinetic energy does in
 * a bath over a whole step, exactly.
 *
 * | symbol | meaning | unit |
 * |---|---|---|
 * | T | `temperature` | K |
 * | τ | `thermostatTime` | fs |
 * | K | the kinetic energy before | eV |
 * | ξ_i | Gaussian numbers, one for each degree of freedom, keyed by seed, system id, step of the system | |
 *
 * Samples the canonical ensemble up to an error of order dt², and hardly disturbs how atoms move: directions stay, and a
 * center of mass at rest. Conserves `conservedEnergy`, E + K and all that was taken out, up to a bounded error of order
 * dt². It cannot set in motion what is wholly at rest where no force is. Bussi, Donadio, Parrinello, J. Chem. Phys. 126,
 * 014101 (2007).
 */
export function bussi(options: NVTBussiOptions): Integrator {
  checkOptions(NAME, options, PARAMETERS);
  const { dt, temperature, thermostatTime, seed = 0 } = options;
  checkParameter(NAME, "dt", dt, Rule.STEP);
  checkParameter(NAME, "temperature", temperature, Rule.NOT_NEGATIVE);
  checkParameter(NAME, "thermostatTime", thermostatTime, Rule.POSITIVE);
  checkParameter(NAME, "seed", seed, Rule.SEED);
  return {
    name: NAME,
    parameters: PARAMETERS,
    dt,
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
 * Molecular dynamics at constant temperature, by {@linkcode bussi}, also known as CSVR and v-rescale.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
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
// deno-lint-ignore house/inheritance -- a named Dynamics: nothing of it is changed
export class NVTBussi<const H extends FirstHooks = FirstHooks> extends Dynamics<H> {
  /** Makes an engine; nothing runs yet. */
  constructor(options: NVTBussiOptions & DynamicsOptions<H>) {
    super(bussi(options), options);
  }
}
