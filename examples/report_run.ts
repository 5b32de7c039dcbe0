/**
 * Runs dynamics in a run folder, with its log, scalars, checkpoints, trajectory and a report with plots. Start it
 * again with a larger total of STEPS, and it resumes. Start it twice at once, and the second reports the process that
 * has the folder.
 *
 * Run: `deno run -P=files examples/report_run.ts [FOLDER] [STEPS]`
 */
import {
  Batch,
  fcc,
  initVelocities,
  lennardJones,
  NVTLangevin,
  openRunFolder,
  resume,
  ZarrSink,
} from "@hooke/hooke";

const path = Deno.args[0] ?? `${Deno.makeTempDirSync()}/argon`;
const steps = Number(Deno.args[1] ?? 2000);
if (!Number.isSafeInteger(steps) || steps < 1) {
  console.error(`STEPS must be a positive integer; got ${Deno.args[1]}`);
  Deno.exit(2);
}
const config = { element: "Ar", cells: 3, dt: 4, temperature: 40, friction: 0.02, seed: 1 };

await using folder = await openRunFolder(path, {
  config,
  checkpoints: { every: 500, keep: 2 },
  trajectory: { sink: new ZarrSink(`${path}/trajectory.zarr`), frequency: 100 },
  profile: true,
});
await using md = new NVTLangevin({
  model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
  dt: config.dt,
  temperature: config.temperature,
  friction: config.friction,
  seed: config.seed,
});
folder.attach(md);

const found = await resume(folder, md);
if (found !== undefined) console.log(`goes on with step ${found.step}`);
const batch = found?.batch ?? begin();
await md.run(batch, Math.max(0, steps - md.stepCount));
console.log(`step ${md.stepCount}: see ${path}/report.html`);

function begin(): Batch {
  const fresh = Batch.from([fcc({ element: "Ar", a: 5.26, cells: config.cells })]);
  initVelocities(fresh, config.temperature, { seed: config.seed });
  return fresh;
}
