import { BOLTZMANN } from "../constants.ts";
import { defineKernel, type Kernel } from "../kernel.ts";
import { gaussians, philox, Stream } from "../philox.ts";
import { twiceKinetic } from "../measure/kinetic_energy.ts";

const args = {
  velocities: "real changed",
  weights: "real",
  dt: "real",
  temperature: "real",
  friction: "real",
  bathEnergy: "f64 optional",
  seedLow: "number",
  seedHigh: "number",
} as const;

const words = new Uint32Array(4), noise = new Float64Array(4);

/**
 * Applies friction and noise of the Langevin equation over a whole step, solved exactly (the O of
 * BAOAB; Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34): v = c₁ v + c₂ ξ with c₁ =
 * exp(−γ dt), c₂ = √((1 − c₁²) k_B T w).
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | w | `weights`: ACCELERATION / mass, per atom | Å²/(fs² eV) |
 * | dt | `dt`, per system | fs |
 * | T | `temperature`, per system | K |
 * | γ | `friction`, per system; 0 changes nothing | 1/fs |
 * | | `bathEnergy`: increased by the kinetic energy that is removed, per system | eV |
 * | ξ | three Gaussian numbers for (seed, atom within its system, age, id of the system) | |
 *
 * The seed is passed as two numbers from 0 to 2³² − 1.
 */
export const thermalize: Kernel<typeof args> = defineKernel(
  "thermalize",
  args,
  ({ velocities, weights, dt, temperature, friction, bathEnergy, seedLow, seedHigh }, frame) => {
    const { systems, offsets, active, ids, ages } = frame;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0 || friction[s] === 0) continue;
      const lost = friction[s]! * dt[s]!;
      const keep = Math.exp(-lost), energy = -Math.expm1(-2 * lost) * BOLTZMANN * temperature[s]!;
      const first = offsets[s]!, end = offsets[s + 1]!;
      const kinetic = () => twiceKinetic(velocities, weights, first, end) / 2;
      if (bathEnergy !== undefined) bathEnergy[s]! += kinetic();
      for (let a = first; a < end; a++) {
        philox(a - first, ages[s]!, ids[s]!, Stream.THERMOSTAT, seedLow, seedHigh, words);
        gaussians(words, noise);
        const width = Math.sqrt(energy * weights[a]!);
        for (let k = 0; k < 3; k++) {
          velocities[3 * a + k] = keep * velocities[3 * a + k]! + width * noise[k]!;
        }
      }
      if (bathEnergy !== undefined) bathEnergy[s]! -= kinetic();
    }
  },
);
