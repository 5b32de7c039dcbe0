/** Runs dynamics from where its folder is to the end, printing how far it has come and the bits of it. Started by tests. */
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVTLangevin } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { CheckpointHook, LoggingHook, SnapshotHook } from "../../src/observe/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";

/** Number of steps between frames, and between rows of each system. */
export const FRAMES = 40;
/** The kinds of sinks, by how their path ends. */
export type Ending = "xyz" | "zarr" | "jsonl" | "db";

/** Beginning of the line that reports the end of the run. */
export const DONE = "done ";

if (import.meta.main) {
  const [folder, ending, count] = Deno.args as [string, Ending, string];
  const steps = Number(count);
  const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  const sink = await openSink(`${folder}/frames.${ending}`);
  await using md = new NVTLangevin({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 2,
    temperature: 50,
    friction: 0.02,
    seed: 3,
    device: "wasm",
    hooks: [
      new SnapshotHook({ sink, frequency: FRAMES }),
      new LoggingHook({ backend: "csv", logPath: `${folder}/log.csv`, frequency: FRAMES }),
      new CheckpointHook({ folder, everySteps: 60, everySeconds: 0.004, keepLast: 2 }),
      {
        name: "saying",
        stage: "dynamics/AFTER_STEP",
        frequency: 10,
        call: (ctx: { readonly stepCount: number }) => say(`step ${ctx.stepCount}`),
      } as never,
    ],
    onWarning: ({ hook, error }) => say(`warning ${hook}: ${error}`),
  });
  say("open");
  const batch = await md.loadLatest(folder) ?? fresh();
  await md.run(batch, steps - md.stepCount);
  await sink.close();
  const bytes = new Uint8Array(Float64Array.from(batch.get("positions")).buffer);
  say(`${DONE}${new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()}`);
}

function fresh(): Batch {
  const batch = Batch.from([0, 1].map(() => fcc({ element: "Ar", a: 5.26, cells: 2 })));
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}
