/**
 * Molecular dynamics at constant energy. This entry point loads less code than `@hooke/hooke/dynamics`, which exports
 * all engines.
 *
 * @module
 */

import type { Names } from "../../hooks/registry/hook_set.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import type { Integrator } from "./integrator.ts";
import { checkedParameters, parameter, type ParameterTable, Rule } from "./parameters.ts";
import type { TimeStepOptions } from "./shared_options.ts";
import { kick, kickDrift } from "./motion.ts";

/** Options of {@linkcode NVE}, in addition to those of every engine. */
export interface NVEOptions extends TimeStepOptions {}

const PARAMETERS: ParameterTable<NVEOptions> = { dt: { rule: Rule.STEP } };

/**
 * Returns velocity Verlet, the integrator of {@linkcode NVE}: v += ½ dt F/m; x += dt v; new forces; v += ½ dt F/m.
 *
 * | symbol | meaning | unit |
 * |---|---|---|
 * | x, v, F, m | positions, velocities, forces, masses | Å, Å/fs, eV/Å, amu |
 * | dt | `dt` | fs |
 *
 * The scheme is of second order. It conserves momentum, and the energy up to a bounded error of order dt². Swope,
 * Andersen, Berens, Wilson, J. Chem. Phys. 76, 637 (1982).
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, NVE, velocityVerlet } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { dt: 2 };
 * await using dynamics = new Dynamics(velocityVerlet(options), { model });
 * await using engine = new NVE({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function velocityVerlet(options: NVEOptions): Integrator {
  const values = checkedParameters("NVE", options, PARAMETERS);
  const { dt } = values;
  return {
    name: "NVE",
    parameters: Object.keys(PARAMETERS),
    values,
    dt,
    keepsMomentum: true,
    conservesEnergy: true,
    open(state) {
      const step = parameter(state, "NVE", "dt", dt);
      return { pre: [kickDrift(state, step)], post: [kick(state, step)] };
    },
  };
}

/**
 * Molecular dynamics at constant energy, with the integrator {@linkcode velocityVerlet}.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 80, { seed: 1 });
 *
 * await using md = new NVE({ model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }), dt: 2 });
 * await md.run(batch, 100);
 * console.log(batch.get("energy"));
 * ```
 */
export class NVE<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: NVEOptions & DynamicsOptions<H, N, W>) {
    super(velocityVerlet(options), options);
  }
}
