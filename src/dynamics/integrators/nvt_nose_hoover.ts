import type { Names } from "../../hooks/registry/hook_set.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import type { Integrator } from "./integrator.ts";
import { checkChain, checkCoupling } from "./couplings.ts";
import { checkedParameters, parameter } from "./parameters.ts";
import { CHAIN_PARAMETERS, type ChainOptions } from "./shared_options.ts";
import { noseHooverChain } from "./baths.ts";
import { kick, kickDrift } from "./motion.ts";

/** Options of {@linkcode NVTNoseHoover}, in addition to those of every engine. */
export interface NVTNoseHooverOptions extends ChainOptions {}

const NAME = "NVTNoseHoover";

/**
 * Returns Nosé–Hoover chains, the integrator of {@linkcode NVTNoseHoover}: half a step of the chain, velocity Verlet,
 * half a step of the chain. The equations of motion with g degrees of freedom are: v̇ = F/m − η̇₁ v; Q₁ η̈₁ = 2K − g
 * k_B T − Q₁ η̇₁ η̇₂; Q_k η̈_k = Q_(k−1) η̇²_(k−1) − k_B T − Q_k η̇_k η̇_(k+1).
 *
 * | symbol | meaning | unit |
 * |---|---|---|
 * | T | `temperature` | K |
 * | τ | `thermostatTime`: Q₁ = g k_B T τ², Q_k = k_B T τ² | fs |
 * | η_k | the thermostats, `chainLength` of them; they begin at 0, at rest | |
 * | K | the kinetic energy | eV |
 *
 * The scheme is of second order, deterministic and reversible. It samples the canonical ensemble if the motion is
 * chaotic. It conserves `conservedEnergy` = E + K + Σ ½ Q_k η̇_k² + g k_B T η₁ + k_B T Σ η_k, and keeps a center of
 * mass at rest. Martyna, Klein, Tuckerman, J. Chem. Phys. 97, 2635 (1992); Martyna, Tuckerman, Tobias, Klein, Mol.
 * Phys. 87, 1117 (1996).
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, noseHoover, NVTNoseHoover } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { dt: 2, temperature: 40, thermostatTime: 100 };
 * await using dynamics = new Dynamics(noseHoover(options), { model });
 * await using engine = new NVTNoseHoover({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function noseHoover(options: NVTNoseHooverOptions): Integrator {
  const parameters = checkedParameters(NAME, options, CHAIN_PARAMETERS);
  const { dt, temperature, thermostatTime, chainLength, yoshidaOrder } = parameters;
  checkCoupling(NAME, "thermostatTime", thermostatTime, dt);
  checkChain(NAME, chainLength, yoshidaOrder);
  return {
    name: NAME,
    parameters: Object.keys(CHAIN_PARAMETERS),
    values: parameters,
    dt,
    temperature,
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
 * Molecular dynamics at constant temperature, with the integrator {@linkcode noseHoover}. It is deterministic and has
 * a conserved energy.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
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
export class NVTNoseHoover<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: NVTNoseHooverOptions & DynamicsOptions<H, N, W>) {
    super(noseHoover(options), options);
  }
}
