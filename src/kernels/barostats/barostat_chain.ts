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
 * Half a step of a chain of thermostats on the cell of each system (Martyna, Tuckerman, Tobias, Klein, Mol. Phys. 87,
 * 1117, 1996): the chain moves on by ½ dt, driven by what kinetic energy the cell has, and the rate of strain is scaled
 * by what it says.
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | ν, W | `rate`; by `parameters` and `freedom`, as in `barostat_kick` | 1/fs, eV fs² |
 * | τ, k_B T | `parameters`: Q₁ = g k_B T τ², all other Q = k_B T τ² | fs, eV |
 * | g | `coupling`: how many degrees of freedom the cell has | |
 * | η, η̇ | `eta`, `etaDot`: `length` numbers per system | 1, 1/fs |
 * | | `others`: what other chains have, per system | eV |
 *
 * `bathEnergy`: to what `barostat_kick` left there is added what the cell has more by now, what the chain has and what
 * others have. `parts`: into how many parts the half step is divided, 1, 3 or 5.
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
