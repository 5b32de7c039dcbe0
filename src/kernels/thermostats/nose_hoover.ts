import { advanceChain, chainEnergy } from "./nose_hoover_chain.ts";
import { BOLTZMANN } from "../constants.ts";
import { defineKernel, type Kernel } from "../kernel.ts";
import { twiceKinetic } from "../measure/kinetic_energy.ts";

const args = {
  velocities: "real changed",
  weights: "real",
  dt: "real",
  temperature: "real",
  time: "real",
  freedom: "i32",
  eta: "f64 changed",
  etaDot: "f64 changed",
  bathEnergy: "f64 changed",
  length: "number",
  parts: "number",
} as const;

/**
 * Advances the thermostat chain of each system by half a step (Martyna, Klein, Tuckerman, J. Chem.
 * Phys. 97, 2635, 1992): the kinetic energy of the atoms drives the chain over ½ dt, and the chain
 * scales their velocities.
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | w | `weights`: ACCELERATION / mass, per atom | Å²/(fs² eV) |
 * | dt | `dt`, per system | fs |
 * | T | `temperature`, per system, above 0 | K |
 * | τ | `time`, per system: Q₁ = g k_B T τ², all other Q = k_B T τ² | fs |
 * | g | `freedom`, per system; a system with g = 0 does not change | |
 * | η, η̇ | `eta`, `etaDot`: `length` numbers per system | 1, 1/fs |
 * | | `bathEnergy`: becomes the energy of the chain, Σ ½ Q η̇² + g k_B T η₁ + k_B T Σ η, per system | eV |
 *
 * `parts`: number of parts into which the half step is divided, 1, 3 or 5.
 */
export const noseHoover: Kernel<typeof args> = defineKernel(
  "nose_hoover",
  args,
  (values, { systems, offsets, active }) => {
    const { velocities, weights, dt, temperature, time, freedom, eta, etaDot, length } = values;
    const parts = values.parts as 1 | 3 | 5;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0 || freedom[s]! <= 0) continue;
      const kT = BOLTZMANN * temperature[s]!;
      const rest = kT * time[s]! * time[s]!, first = freedom[s]! * rest;
      const chain = { eta, etaDot, at: length * s, length, kT, freedom: freedom[s]!, first, rest };
      const twice = twiceKinetic(velocities, weights, offsets[s]!, offsets[s + 1]!);
      const growth = Math.expm1(advanceChain(chain, twice, dt[s]! / 2, parts));
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k++) {
        velocities[k]! += growth * velocities[k]!;
      }
      values.bathEnergy[s] = chainEnergy(chain);
    }
  },
);
