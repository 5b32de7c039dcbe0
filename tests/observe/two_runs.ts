/** Resumes or begins the run of a folder, as in the docs, and runs to the end. Started by a test. */
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVTLangevin } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { CheckpointHook, SnapshotHook } from "../../src/observe/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";

/** Number of steps of the whole run. */
export const STEPS = 400;
/** Number of steps between two frames. */
export const FRAMES = 10;

if (import.meta.main) {
  const [folder, file] = Deno.args as [string, string];
  const sink = await openSink(file).catch((error) => {
    console.log(error.code);
    Deno.exit(3);
  });
  await using md = new NVTLangevin({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 2,
    temperature: 40,
    friction: 0.02,
    seed: 1,
    device: "wasm",
    hooks: [
      new SnapshotHook({ sink, frequency: FRAMES }),
      new CheckpointHook({ folder, everySteps: 50, keepLast: 2 }),
    ],
  });
  try {
    const batch = await md.loadLatest(folder) ?? begin();
    await md.run(batch, STEPS - md.stepCount);
    console.log("done");
  } finally {
    await sink.close();
  }
}

function begin(): Batch {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}
