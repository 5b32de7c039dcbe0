import { squaresOfGaussians } from "./squares.ts";
import { BOLTZMANN } from "../constants.ts";
import { defineKernel, type Kernel } from "../kernel.ts";
import { gaussians, philox, Stream } from "../philox.ts";
import { twiceKinetic } from "../measure/kinetic_energy.ts";

const args = {
  velocities: "real changed",
  weights: "real",
  dt: "real",
  temperature: "real",
  time: "real",
  freedom: "i32",
  bathEnergy: "f64 changed",
  seedLow: "number",
  seedHigh: "number",
} as const;

const words = new Uint32Array(4), noise = new Float64Array(4);

/**
 * Rescales velocities stochastically over a whole step, solved exactly (Bussi, Donadio, Parrinello,
 * J. Chem. Phys. 126, 014101, 2007): v = α v with α² = c + (1 − c) k_B T/2K (ξ₁² + Σ ξ²) + 2 ξ₁ √(c
 * (1 − c) k_B T/2K), c = exp(−dt/τ), α of the sign of ξ₁ + √(2K c/((1 − c) k_B T)).
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | w | `weights`: ACCELERATION / mass, per atom; K = ½ Σ v²/w | Å²/(fs² eV) |
 * | dt | `dt`, per system | fs |
 * | T | `temperature`, per system | K |
 * | τ | `time`, per system | fs |
 * | g | `freedom`, per system: one for ξ₁, g − 1 for Σ ξ²; a system with g = 0 does not change | |
 * | ξ | Gaussian numbers for (seed, age, id of the system); Σ ξ² is drawn as one number | |
 * | | `bathEnergy`: increased by the kinetic energy that is removed, per system | eV |
 *
 * A system without any motion does not change, because no factor can scale it. The seed is passed
 * as two numbers from 0 to 2³² − 1.
 */
export const velocityRescale: Kernel<typeof args> = defineKernel(
  "velocity_rescale",
  args,
  (values, { systems, offsets, active, ids, ages }) => {
    const { velocities, weights, dt, temperature, time, freedom, bathEnergy } = values;
    const { seedLow, seedHigh } = values;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0 || freedom[s]! <= 0) continue;
      const twice = twiceKinetic(velocities, weights, offsets[s]!, offsets[s + 1]!);
      if (twice === 0) continue;
      const draw = (count: number) => {
        philox(count, ages[s]!, ids[s]!, Stream.RESCALING, seedLow, seedHigh, words);
        gaussians(words, noise);
      };
      draw(0);
      const along = noise[0]!;
      const squares = squaresOfGaussians(freedom[s]! - 1, draw, words, noise);
      const passed = dt[s]! / time[s]!;
      const fresh = -Math.expm1(-passed) * BOLTZMANN * temperature[s]! / twice;
      const growth = growthOf(passed, fresh, along, squares);
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k++) {
        velocities[k]! += growth * velocities[k]!;
      }
      bathEnergy[s]! -= twice / 2 * growth * (2 + growth);
    }
  },
);

/**
 * Returns α − 1 for `passed` = dt/τ and `fresh` = (1 − c) k_B T/2K, without loss of digits if it is small. `along` is
 * ξ₁, and `squares` is Σ ξ².
 */
function growthOf(passed: number, fresh: number, along: number, squares: number): number {
  const keep = Math.exp(-passed), root = Math.sqrt(keep * fresh);
  const change = Math.expm1(-passed) + fresh * (along * along + squares) + 2 * along * root;
  const alpha = Math.sqrt(Math.max(0, 1 + change));
  return along * fresh + root < 0 ? -alpha - 1 : Math.max(-1, change) / (1 + alpha);
}
