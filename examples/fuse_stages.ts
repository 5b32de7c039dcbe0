/**
 * Relaxes crystals, heats them, and lets them move freely: each goes on to the next stage when it is ready for it,
 * whatever the others do, and one evaluation of the model serves all in each step.
 *
 * Run: `deno run -A examples/fuse_stages.ts [STEPS_OF_NVT] [STEPS_OF_NVE]`
 */
import {
  Batch,
  ConvergenceHook,
  fcc,
  FIRE,
  fuse,
  hook,
  initVelocities,
  kineticEnergies,
  lennardJones,
  NVE,
  NVTLangevin,
  rattle,
} from "@hooke/hooke";

const [nvtSteps, nveSteps] = [Number(Deno.args[0] ?? 200), Number(Deno.args[1] ?? 200)];
const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
const batch = Batch.from([0.02, 0.1, 0.3].map((stdev, seed) => rattle(crystal, stdev, seed)));

const relax = new FIRE({ model, dt: 0.5, hooks: [ConvergenceHook.fromFmax(0.02)], name: "relax" });
const heat = new NVTLangevin({
  ...{ model, dt: 2, temperature: 40, friction: 0.05, nSteps: nvtSteps, name: "heat" },
});
const move = new NVE({ model, dt: 2, nSteps: nveSteps, name: "move" });

// What moves is that of the stage: crystals that have come to be heated begin with velocities of their own.
heat.hooks.add(hook({
  name: "begin",
  reads: ["systemId"],
  writes: ["velocities"],
  on: {
    dynamics: {
      ON_ADMIT: ({ stepCount, read, write, batch: { nodeOffsets } }) => {
        const began = Batch.from(Array.from(read.systemId, () => crystal));
        initVelocities(began, 40, { seed: stepCount });
        for (const [i, id] of read.systemId.entries()) {
          if (warm.has(id)) continue;
          warm.add(id);
          const [from, to] = [3 * nodeOffsets[i]!, 3 * nodeOffsets[i + 1]!];
          write.velocities.set(began.get("velocities").subarray(from, to), from);
          console.log(`step ${stepCount}: crystal ${id} is relaxed`);
        }
      },
    },
  },
}));
const warm = new Set<number>();

// Energies are conserved in the last stage alone: a hook of it sees nothing else.
const drifts = new Map<number, { first: number; last: number }>();
move.hooks.add(hook({
  name: "drift",
  frequency: 1,
  reads: ["systemId", "energy", "kineticEnergy"],
  on: {
    dynamics: {
      AFTER_STEP: ({ read: { systemId, energy, kineticEnergy } }) => {
        for (const [i, id] of systemId.entries()) {
          const last = energy[i]! + kineticEnergy[i]!;
          drifts.set(id, { first: drifts.get(id)?.first ?? last, last });
        }
      },
    },
  },
}));

await using all = fuse(relax, heat, move);
await all.run(batch);

const steps = batch.get("stageSteps");
for (const [id, { first, last }] of [...drifts].sort(([a], [b]) => a - b)) {
  const [relaxing, heating, moving] = steps.slice(3 * id, 3 * id + 3);
  console.log(
    `crystal ${id}: ${relaxing} + ${heating} + ${moving} steps, drift ${
      (Math.abs(last - first) / crystal.nodeCount).toExponential(0)
    } eV per atom, time ${batch.get("time")[id]} fs`,
  );
}
const kelvin = kineticEnergies(batch).map((energy) => energy / (1.5 * 32 * 8.617333e-5));
console.log(`${all.stepCount} steps in all, ${kelvin.every((t) => t > 5 && t < 80)}`);
