/**
 * Observes every step of a run on a GPU without slowing it down: fields that a hook reads are copied on the device
 * and arrive while the run goes on, in order. A hook that must decide in its step sets `sync: true`, and the run
 * waits for it.
 *
 * Run: `deno run examples/observe_on_gpu.ts [auto|webgpu|wasm|reference]`
 */
import { Batch, fcc, hook, initVelocities, lennardJones, NVE } from "@hooke/hooke";
import { ALL_DEVICES } from "@hooke/hooke/backend";

const device = ALL_DEVICES.find((name) => name === (Deno.args[0] ?? "auto"));
if (device === undefined) {
  console.error(`It takes one of ${ALL_DEVICES.join(", ")}`);
  Deno.exit(2);
}

const crystal = fcc({ element: "Ar", a: 5.26, cells: 3 });
const batch = Batch.from([crystal, crystal]);
initVelocities(batch, [20, 40], { seed: 1 });

const energies: number[][] = [];
let isInOrder = true;
const watch = hook({
  name: "watch",
  reads: ["energy", "kineticEnergy"],
  on: {
    dynamics: {
      AFTER_STEP: ({ stepCount, read }) => {
        isInOrder &&= stepCount === energies.length;
        energies.push(Array.from(read.energy, (energy, i) => energy + read.kineticEnergy[i]!));
      },
    },
  },
});
const decide = hook({
  name: "decide",
  frequency: 50,
  sync: true,
  reads: ["temperature"],
  on: {
    dynamics: {
      AFTER_STEP: (ctx) => {
        if (ctx.stepCount > 0 && ctx.read.temperature[1]! < 40) ctx.stop("cooler than 40 K");
      },
    },
  },
});

await using md = new NVE({
  model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 7.8 }),
  dt: 2,
  device,
  hooks: [watch, decide],
});
await md.run(batch, 200);

console.log(`on ${md.device!.device}`);
for (const { device, reason } of md.device!.skipped) console.error(`not ${device}: ${reason}`);
console.log(`${energies.length} steps seen, ${isInOrder ? "in order" : "out of order"}`);
console.log("outcome:", md.outcome);
for (const i of [0, 1]) {
  const drift = Math.max(...energies.map((one) => Math.abs(one[i]! - energies[0]![i]!))) / 108;
  console.log(
    `system ${i}: total energy within ${drift < 1e-5 ? "" : "more than "}10 µeV per atom`,
  );
}
