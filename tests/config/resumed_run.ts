/** Resumes dynamics in a folder, and runs to the end; prints the bits of the positions. Started by a test. */
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { openRunFolder, resume } from "../../src/config/runs/mod.ts";
import { NVTLangevin } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { JsonlSink } from "../../src/sinks/mod.ts";

/** Number of steps of the whole run. */
export const STEPS = 3000;
/** Number of steps between two frames. */
export const FRAMES = 40;

if (import.meta.main) {
  const [path] = Deno.args as [string];
  await using folder = await openRunFolder(path, {
    config: { STEPS },
    checkpoints: { every: 30 },
    report: "markdown",
    commit: "none",
    trajectory: { sink: new JsonlSink(`${path}/trajectory.jsonl`), frequency: FRAMES },
  });
  await using md = new NVTLangevin({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 2,
    temperature: 50,
    friction: 0.02,
    seed: 3,
    device: "wasm",
  });
  folder.attach(md);
  console.log("open");
  const found = await resume(folder, md);
  const batch = found?.batch ?? fresh();
  await md.run(batch, STEPS - md.stepCount);
  const bytes = new Uint8Array(Float64Array.from(batch.get("positions")).buffer);
  console.log(`done ${new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()}`);
}

function fresh(): Batch {
  const batch = Batch.from([0, 1].map(() => fcc({ element: "Ar", a: 5.26, cells: 2 })));
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}
