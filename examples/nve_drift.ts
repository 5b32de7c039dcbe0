/**
 * Monitors a run at constant energy: the right time step conserves the energy, one that is too long does not.
 *
 * Run: `deno run examples/nve_drift.ts`
 */
import {
  Batch,
  EnergyDriftMonitorHook,
  fcc,
  initVelocities,
  lennardJones,
  NVE,
} from "@hooke/hooke";
import { EnergyDriftError } from "@hooke/hooke/observe";

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });

async function run(dt: number): Promise<string> {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 3 })]);
  initVelocities(batch, 80, { seed: 1 });
  const watch = new EnergyDriftMonitorHook({
    threshold: 1e-4,
    metric: "perAtom",
    action: "throw",
    frequency: 10,
  });
  await using md = new NVE({ model, dt, hooks: [watch] });
  try {
    await md.run(batch, 500);
    return "within 0.1 meV per atom to the end";
  } catch (error) {
    if (!(error instanceof EnergyDriftError)) throw error;
    return `off by ${(error.drift * 1000).toFixed(2)} meV per atom in step ${error.step}`;
  }
}

for (const dt of [4, 60]) console.log(`dt = ${dt} fs: ${await run(dt)}`);
