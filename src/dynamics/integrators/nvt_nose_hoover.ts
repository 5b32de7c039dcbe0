import type { Batch } from "../../batch/batch.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks } from "../engine/dynamics_options.ts";
import type { Integrator } from "./integrator.ts";
import {
  checkedParameters,
  checkParameter,
  isFromField,
  parameter,
  type PerSystem,
  perSystem,
} from "./parameters.ts";
import { CHAIN_PARAMETERS, type ChainOptions } from "./shared_options.ts";
import { noseHooverChain } from "./baths.ts";
import { kick, kickDrift } from "./motion.ts";

/** Options of {@linkcode NVTNoseHoover} besides those of every engine. */
export interface NVTNoseHooverOptions extends ChainOptions {}

const NAME = "NVTNoseHoover";

/**
 * Nosé–Hoover chains, the scheme of {@linkcode NVTNoseHoover}: half a step of the chain, velocity Verlet, half a step of
 * the chain. The chain, with g degrees of freedom:
 * v̇ = F/m − η̇₁ v; Q₁ η̈₁ = 2K − g k_B T − Q₁ η̇₁ η̇₂; Q_k η̈_k = Q_(k−1) η̇²_(k−1) − k_B T − Q_k η̇_k η̇_(k+1).
 *
 * | symbol | meaning | unit |
 * |---|---|---|
 * | T | `temperature` | K |
 * | τ | `thermostatTime`: Q₁ = g k_B T τ², Q_k = k_B T τ² | fs |
 * | η_k | the thermostats, `chainLength` of them; they begin at 0, at rest | |
 * | K | the kinetic energy | eV |
 *
 * Second order, deterministic and reversible; samples the canonical ensemble where the motion is chaotic. Conserves
 * `conservedEnergy` = E + K + Σ ½ Q_k η̇_k² + g k_B T η₁ + k_B T Σ η_k, and a center of mass at rest. Martyna, Klein,
 * Tuckerman, J. Chem. Phys. 97, 2635 (1992); Martyna, Tuckerman, Tobias, Klein, Mol. Phys. 87, 1117 (1996).
 */
export function noseHoover(options: NVTNoseHooverOptions): Integrator {
  const parameters = checkedParameters(NAME, options, CHAIN_PARAMETERS);
  const { dt, temperature, thermostatTime, chainLength, yoshidaOrder } = parameters;
  checkCoupling(NAME, "thermostatTime", thermostatTime, dt);
  checkChain(NAME, chainLength, yoshidaOrder);
  return {
    name: NAME,
    parameters: Object.keys(CHAIN_PARAMETERS),
    dt,
    keepsMomentum: true,
    open(state) {
      checkCoupling(NAME, "thermostatTime", thermostatTime, dt, state.batch);
      const step = parameter(state, NAME, "dt", dt);
      const chain = noseHooverChain(state, step, {
        temperature: parameter(state, NAME, "temperature", temperature),
        time: parameter(state, NAME, "thermostatTime", thermostatTime),
        length: chainLength,
        parts: yoshidaOrder,
      });
      return { pre: [chain, kickDrift(state, step)], post: [kick(state, step), chain] };
    },
  };
}

/**
 * Throws a RangeError for a coupling time that steps cannot follow: a chain would run away, or take all motion. What
 * fields say is looked at where there is a batch.
 */
export function checkCoupling(
  engine: string,
  name: string,
  time: PerSystem,
  dt: PerSystem,
  batch?: Batch,
): void {
  const read = (value: PerSystem, what: string) =>
    batch !== undefined && isFromField(value) ? perSystem(engine, what, value, batch) : value;
  const values = [read(time, name), read(dt, "dt")];
  if (values.some(isFromField)) return;
  const [times, steps] = values as (number | ArrayLike<number>)[];
  const at = (value: number | ArrayLike<number>, system: number) =>
    typeof value === "number" ? value : value[system] ?? NaN;
  const count = Math.max(
    ...[times!, steps!].map((one) => typeof one === "number" ? 1 : one.length),
  );
  for (let system = 0; system < count; system++) {
    if (!(at(times!, system) < 2 * at(steps!, system))) continue;
    const of = typeof time === "number" ? "" : ` of system ${system}`;
    throw new RangeError(
      `Cannot make ${engine} as ${name}${of} must be two steps or more: current value is ${
        at(times!, system)
      } fs, with a dt of ${at(steps!, system)} fs`,
    );
  }
}

/** Throws a TypeError or RangeError for what no chain of thermostats can be. */
export function checkChain(engine: string, chainLength: unknown, yoshidaOrder: unknown): void {
  for (const [name, value] of Object.entries({ chainLength, yoshidaOrder })) {
    if (typeof value === "number") continue;
    throw new TypeError(
      `Cannot make ${engine} as ${name} must be a number: current value is ${String(value)}`,
    );
  }
  checkParameter(engine, "chainLength", chainLength, {
    requirement: "a whole number from 1 to 16",
    holds: (x) => Number.isInteger(x) && x >= 1 && x <= 16,
  });
  checkParameter(engine, "yoshidaOrder", yoshidaOrder, {
    requirement: "1, 3 or 5",
    holds: (x) => x === 1 || x === 3 || x === 5,
  });
}

/**
 * Molecular dynamics at constant temperature, by {@linkcode noseHoover}: deterministic, and with a conserved energy.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVTNoseHoover } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using md = new NVTNoseHoover({ model, dt: 2, temperature: 40, thermostatTime: 100 });
 * await md.run(batch, 100);
 * ```
 */
export class NVTNoseHoover<const H extends FirstHooks = FirstHooks> extends Dynamics<H> {
  /** Makes an engine; nothing runs yet. */
  constructor(options: NVTNoseHooverOptions & DynamicsOptions<H>) {
    super(noseHoover(options), options);
  }
}
