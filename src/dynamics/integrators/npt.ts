import type { Names } from "../../hooks/registry/hook_set.ts";
import { barostatChain, checkBarostat, openBarostat } from "./barostat.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import type { Integrator } from "./integrator.ts";
import { checkedParameters, parameter, type ParameterTable } from "./parameters.ts";
import {
  CHAIN_PARAMETERS,
  type ChainOptions,
  PRESSURE_PARAMETERS,
  type PressureOptions,
} from "./shared_options.ts";
import { checkChain, checkCoupling } from "./couplings.ts";
import { noseHooverChain } from "./baths.ts";

/** Options of {@linkcode NPT}, in addition to those of every engine. */
export interface NPTOptions extends ChainOptions, PressureOptions {}

const NAME = "NPT";
const PARAMETERS: ParameterTable<NPTOptions> = { ...PRESSURE_PARAMETERS, ...CHAIN_PARAMETERS };

/**
 * Returns the integrator of {@linkcode NPT}: dynamics at constant pressure and temperature by Martyna, Tobias and
 * Klein. It extends `nphIntegrator` by one Nosé–Hoover chain on the atoms and one on the cell, each as in
 * `noseHoover`:
 *
 * ẋ = v + ν x; v̇ = F/m − (ν + Tr ν/f) v − η̇₁ v; ḣ = ν h; W ν̇ = Σ m v⊗v + Ξ − p V + 2K/f − W ζ̇₁ ν.
 *
 * | symbol | meaning | unit |
 * |---|---|---|
 * | x, v, F, m, h, V, ν, Ξ, K, f, p, W | as in `nphIntegrator` | |
 * | T | `temperature` | K |
 * | τ_p, τ_T | `barostatTime`, `thermostatTime`: W = (f/3 + 1) k_B T τ_p² | fs |
 * | η | the chain of the atoms: Q₁ = f k_B T τ_T², Q_k = k_B T τ_T² | |
 * | ζ | the chain of the cell: Q₁ = g k_B T τ_p², Q_k = k_B T τ_p² | |
 * | g | 1, 3 or 6: the degrees of freedom of the cell | |
 *
 * A step is half a step of both chains, a step of `nphIntegrator`, and half a step of both chains. It is symmetric in
 * time and of second order. The integrator samples the isothermal-isobaric ensemble if the motion is chaotic. It
 * conserves the sum of E + K + p V + ½ W Tr ν² and the energy of the chains up to order dt², and keeps a center of
 * mass at rest. Martyna, Tobias, Klein, J. Chem. Phys. 101, 4177 (1994); Martyna, Tuckerman, Tobias, Klein, Mol.
 * Phys. 87, 1117 (1996); Tuckerman, Alejandre, López-Rendón, Jochim, Martyna, J. Phys. A 39, 5629 (2006).
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { Dynamics, NPT, nptIntegrator } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
 * const one = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(one, 40, { seed: 1 });
 * const other = one.clone();
 * const options = { dt: 2, temperature: 40, thermostatTime: 100, pressure: 0, barostatTime: 500 };
 * await using dynamics = new Dynamics(nptIntegrator(options), { model });
 * await using engine = new NPT({ ...options, model });
 * await dynamics.run(one, 10);
 * await engine.run(other, 10);
 * assertEquals(one.get("positions"), other.get("positions")); // bitwise identical
 * ```
 */
export function nptIntegrator(options: NPTOptions): Integrator {
  const parameters = checkedParameters(NAME, options, PARAMETERS);
  const { dt, temperature, thermostatTime, chainLength, yoshidaOrder } = parameters;
  checkBarostat(NAME, parameters);
  checkCoupling(NAME, "thermostatTime", thermostatTime, dt);
  checkChain(NAME, chainLength, yoshidaOrder);
  return {
    name: NAME,
    parameters: Object.keys(PARAMETERS),
    values: parameters,
    dt,
    temperature,
    keepsMomentum: true,
    needsStress: true,
    open(state) {
      checkCoupling(NAME, "thermostatTime", thermostatTime, dt, state.batch);
      const { step, kickCell, kick, drift, cell } = openBarostat(state, NAME, parameters);
      const energy = state.scratch("chainEnergy", { dtype: "f64", level: "system" });
      const links = { length: chainLength, parts: yoshidaOrder };
      const atoms = noseHooverChain(state, step, {
        temperature: parameter(state, NAME, "temperature", temperature),
        time: parameter(state, NAME, "thermostatTime", thermostatTime),
        ...links,
        energy,
      });
      const walls = barostatChain(state, cell, { ...links, others: energy });
      return {
        pre: [atoms, walls, kickCell, kick, drift],
        post: [kick, kickCell, atoms, walls],
      };
    },
  };
}

/**
 * Molecular dynamics at constant pressure and temperature, with the integrator {@linkcode nptIntegrator}. It is
 * deterministic and has a conserved energy. All systems must be periodic in all directions, and the model must
 * provide stresses.
 *
 * The constructor throws a TypeError or RangeError that names the first invalid option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { BAR, NPT } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const crystal = fcc({ element: "Ar", a: 5.4, cells: 2 });
 * const batch = Batch.from([crystal, crystal]);
 * initVelocities(batch, 40, { seed: 1 });
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using md = new NPT({
 *   model,
 *   dt: 2,
 *   temperature: 40,
 *   thermostatTime: 100,
 *   barostatTime: 500,
 *   pressure: [1 * BAR, 1000 * BAR],
 * });
 * await md.run(batch, 100);
 * console.log(batch.get("cell")[0], batch.get("cell")[9]); // Å
 * ```
 */
export class NPT<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /** Creates the engine. Nothing runs until `run`, `step` or `stream`. */
  constructor(options: NPTOptions & DynamicsOptions<H, N, W>) {
    super(nptIntegrator(options), options);
  }
}
