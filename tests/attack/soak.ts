/**
 * Runs that go on and on.
 *
 * @module
 */

import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVTLangevin } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { CheckpointHook, LoggingHook, SnapshotHook } from "../../src/observe/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";
import type { Attack } from "./attack.ts";

/** Largest accepted growth of the memory between the second fifth of the run and its end, in bytes. */
const GROWTH = 16 * 2 ** 20;

/** Steps between two looks at the memory. */
const PART = 5000;

/** One case is a minute. */
export const SOAK: Attack = {
  name: "soak",
  aim: "runs dynamics with a log, snapshots and checkpoints for some minutes; memory must not grow",
  cases: 30,
  async run(trial) {
    const folder = await Deno.makeTempDir();
    const end = performance.now() + 60_000 * trial.cases;
    const sink = await openSink(`${folder}/frames.zarr`);
    await using md = new NVTLangevin({
      model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
      dt: 2,
      temperature: 60,
      friction: 0.01,
      device: "wasm",
      hooks: [
        new SnapshotHook({ sink, frequency: 200 }),
        new LoggingHook({ backend: "csv", logPath: `${folder}/log.csv`, frequency: 100 }),
        new CheckpointHook({ folder, everySteps: 500, keepLast: 2 }),
      ],
    });
    const batch = Batch.from(
      Array.from({ length: 8 }, () => fcc({ element: "Ar", a: 5.26, cells: 2 })),
    );
    initVelocities(batch, 60, { seed: 1 });
    const memory: number[] = [];
    while (performance.now() < end) {
      await md.run(batch, PART);
      (globalThis as { gc?(): void }).gc?.(); // or late garbage is counted
      memory.push(Deno.memoryUsage().rss);
    }
    await sink.close();
    // Not the first fifth: the runtime compiles, and its heap finds its size.
    const fifth = Math.ceil(memory.length / 5);
    const early = Math.max(...memory.slice(fifth, 2 * fifth));
    const growth = Math.max(0, memory.at(-1)! - early);
    const figures = `${md.stepCount} steps, memory grew by ${(growth / 2 ** 20).toFixed(1)} MB`;
    const seconds = 60 * trial.cases, mb = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
    trial.notes.push(
      `Langevin dynamics of 8 crystals of 32 atoms with a log, snapshots and checkpoints: ${trial.cases} min, ` +
        `${md.stepCount.toLocaleString("en")} steps, ${
          Math.round(md.stepCount / seconds)
        } per second`,
      `resident memory: at most ${mb(early)} MB in the second fifth of the run, ${
        mb(memory.at(-1)!)
      } MB at its end; ` +
        `it grew by ${mb(growth)} MB, and ${mb(GROWTH)} MB are allowed`,
    );
    if (growth > GROWTH) trial.fail(figures);
    else trial.count(`minutes (${figures})`, trial.cases);
    await Deno.remove(folder, { recursive: true });
  },
};
