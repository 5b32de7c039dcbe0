/**
 * Relaxes crystals, heats them, and runs them at constant energy. Each system enters the next stage when it is ready,
 * independently of the others, and one evaluation of the model per step serves all stages.
 *
 * Run: `deno run examples/fuse_stages.ts [STEPS_OF_NVT] [STEPS_OF_NVE]`
 */
import {
  Batch,
  ConvergenceHook,
  fcc,
  FIRE,
  fuse,
  hook,
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
  model,
  dt: 2,
  temperature: 40,
  friction: 0.05,
  nSteps: nvtSteps,
  name: "heat",
});
const move = new NVE({ model, dt: 2, nSteps: nveSteps, name: "move" });

// A hook of a stage sees only the systems of that stage; at ON_ADMIT some of them have just entered.
heat.hooks.add(hook({
  name: "welcome",
  reads: ["systemId"],
  on: {
    dynamics: {
      ON_ADMIT: ({ stepCount, admittedMask, read: { systemId } }) => {
        const come = Array.from(systemId).filter((_, i) => admittedMask[i] === 1);
        console.log(`step ${stepCount}: ${come.map((id) => `crystal ${id}`).join(", ")} relaxed`);
      },
    },
  },
}));

// The energy is conserved in the last stage.
const energies = new Map<number, { readonly first: number; last: number }>();
move.hooks.add(hook({
  name: "energies",
  frequency: 1,
  reads: ["systemId", "conservedEnergy"],
  on: {
    dynamics: {
      AFTER_STEP: ({ read: { systemId, conservedEnergy } }) => {
        for (let i = 0; i < systemId.length; i++) {
          const now = conservedEnergy[i]!, known = energies.get(systemId[i]!);
          if (known === undefined) energies.set(systemId[i]!, { first: now, last: now });
          else known.last = now;
        }
      },
    },
  },
}));

await using all = fuse(relax, heat, move);
await all.run(batch);

const steps = batch.get("stageSteps");
for (const [id, { first, last }] of [...energies].sort(([a], [b]) => a - b)) {
  const own = Array.from(steps.subarray(3 * id, 3 * id + 3)).join(" + ");
  const drift = Math.abs(last - first) / crystal.nodeCount;
  console.log(
    `crystal ${id}: ${own} steps, ${batch.get("time")[id]} fs, energy kept: ${drift < 1e-5}`,
  );
}
console.log(`${all.stepCount} steps in all`);
