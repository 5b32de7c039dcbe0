/**
 * Composes a custom integrator of the parts of built-in ones: Langevin dynamics split as OBABO, with half of the bath
 * at each end of a step. It runs on every backend that has its parts, in batches, with hooks and checkpoints.
 *
 * Run: `deno run examples/own_integrator.ts [steps]`
 */
import { Batch, fcc, hook, initVelocities, lennardJones } from "@hooke/hooke";
import {
  Dynamics,
  type Integrator,
  kick,
  kickDrift,
  parameter,
  thermalize,
} from "@hooke/hooke/dynamics";

/** Bussi, Parrinello, Phys. Rev. E 75, 056707 (2007): fs, K, 1/fs. */
function obabo(dt: number, kelvin: number, gamma: number, seed: number): Integrator {
  return {
    name: "OBABO",
    dt,
    open(state) {
      const step = parameter(state, "OBABO", "dt", dt);
      const temperature = parameter(state, "OBABO", "temperature", kelvin);
      const friction = parameter(state, "OBABO", "friction", gamma / 2); // each of two baths does half of it
      // Noise is keyed by seed and step: two baths in one step need two seeds.
      const [first, last] = [seed, seed + 1].map((seed) =>
        thermalize(state, step, { temperature, friction, seed })
      );
      return { pre: [first!, kickDrift(state, step)], post: [kick(state, step), last!] };
    },
  };
}

const steps = Number(Deno.args[0] ?? 4000), seen = [0, 0];
const mean = hook({
  name: "mean",
  frequency: 10,
  after: steps / 2,
  reads: ["temperature"],
  on: {
    dynamics: {
      AFTER_STEP: (ctx) => {
        for (const kelvin of ctx.read.temperature) seen[0]! += kelvin;
        seen[1]! += ctx.read.temperature.length;
      },
    },
  },
});
const batch = Batch.from(Array.from({ length: 8 }, () => fcc({ element: "Ar", a: 5.4, cells: 2 })));
initVelocities(batch, 20, { seed: 1 });
const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
await using md = new Dynamics(obabo(4, 40, 0.01, 7), { model, hooks: [mean] });
await md.run(batch, steps);
console.log(`${md.stepCount} steps of ${md.name}: ${(seen[0]! / seen[1]!).toFixed(1)} K`);
