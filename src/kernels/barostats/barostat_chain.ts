import { BarostatParameter, inertiaOf } from "./barostat_kick.ts";
import { advanceChain, chainEnergy } from "../thermostats/nose_hoover_chain.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  rate: "f64 changed",
  parameters: "f64",
  freedom: "i32",
  eta: "f64 changed",
  etaDot: "f64 changed",
  others: "f64",
  bathEnergy: "f64 changed",
  coupling: "number",
  length: "number",
  parts: "number",
} as const;

/**
 * Advances the thermostat chain of each cell by half a step (Martyna, Tuckerman, Tobias, Klein,
 * Mol. Phys. 87, 1117, 1996): the kinetic energy of the cell drives the chain over ½ dt, and the
 * chain scales the rate of strain.
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | ν, W | `rate`; by `parameters` and `freedom`, as in `barostat_kick` | 1/fs, eV fs² |
 * | τ, k_B T | `parameters`: Q₁ = g k_B T τ², all other Q = k_B T τ² | fs, eV |
 * | g | `coupling`: number of degrees of freedom of the cell | |
 * | η, η̇ | `eta`, `etaDot`: `length` numbers per system | 1, 1/fs |
 * | | `others`: energy of other chains, per system | eV |
 *
 * `bathEnergy`: the kernel adds the change of the kinetic energy of the cell, the energy of the
 * chain and `others` to the value that `barostat_kick` has written. `parts`: number of parts of the
 * half step, 1, 3 or 5.
 */
export const barostatChain: Kernel<typeof args> = defineKernel(
  "barostat_chain",
  args,
  (values, { systems, active }) => {
    const { rate, parameters, freedom, eta, etaDot, others, coupling, length } = values;
    const parts = values.parts as 1 | 3 | 5;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const p = BarostatParameter.LENGTH * s;
      const dt = parameters[p + BarostatParameter.DT]!, kT = parameters[p + BarostatParameter.KT]!;
      const rest = kT * parameters[p + BarostatParameter.TIME]! ** 2;
      const chain = {
        eta,
        etaDot,
        at: length * s,
        length,
        kT,
        freedom: coupling,
        first: coupling * rest,
        rest,
      };
      let square = 0;
      for (let k = 9 * s; k < 9 * s + 9; k++) square += rate[k]! * rate[k]!;
      const twice = inertiaOf(parameters, s, freedom[s]!) * square;
      const growth = Math.expm1(advanceChain(chain, twice, dt / 2, parts));
      for (let k = 9 * s; k < 9 * s + 9; k++) rate[k]! += growth * rate[k]!;
      const more = twice / 2 * growth * (2 + growth);
      values.bathEnergy[s]! += more + chainEnergy(chain) + others[s]!;
    }
  },
);
