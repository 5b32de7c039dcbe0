/**
 * The second part of the demo: crystals in a bath.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { initVelocities } from "../batch/velocities.ts";
import { NVTLangevin } from "../dynamics/nvt_langevin.ts";
import { hook } from "../hook.ts";
import { LoggingHook } from "../observe/logging_hook.ts";
import { progressOf } from "./demo_progress.ts";
import { ARGON, type DemoRun, TARGET } from "./demo_run.ts";

/** How the dynamics went. */
export interface Dynamics {
  /** The mean temperature of all crystals, K, at every tenth step. */
  readonly means: readonly number[];
  /** The temperatures of single crystals in the second half, K. */
  readonly late: readonly number[];
  /** Atoms of a crystal. */
  readonly atoms: number;
  /** Steps of atoms. */
  readonly atomSteps: number;
  /** How long it took. */
  readonly seconds: number;
  /** Whether it was interrupted. */
  readonly isInterrupted: boolean;
  /** Steps done. */
  readonly stepCount: number;
}

/** Runs the crystals of a batch in a bath, with a log. */
export async function heat(batch: Batch, run: DemoRun): Promise<Dynamics> {
  const { options: { steps, seed }, files, signal, profiler } = run;
  batch.set("status", 0);
  initVelocities(batch, TARGET, { seed });
  const means: number[] = [], late: number[] = [];
  const watch = hook({
    name: "temperatures",
    frequency: 10,
    reads: ["temperature"],
    on: {
      dynamics: {
        AFTER_STEP: ({ stepCount, read: { temperature } }) => {
          let sum = 0;
          for (const one of temperature) sum += one;
          means.push(sum / temperature.length);
          if (stepCount >= steps / 2) late.push(...temperature);
        },
      },
    },
  });
  await using md = new NVTLangevin({
    model: ARGON,
    ...{ dt: 4, temperature: TARGET, friction: 0.02, seed },
    signal,
    hooks: [new LoggingHook({ backend: "csv", logPath: files.nvtLog, frequency: 10 }), watch],
  });
  for (const progress of progressOf(run, steps)) md.hooks.add(progress);
  if (profiler !== undefined) md.hooks.add(profiler, { order: "first" });
  const begun = performance.now();
  await md.run(batch, steps);
  return {
    means,
    late,
    atoms: batch.nodeCount / batch.size,
    atomSteps: md.stepCount * batch.nodeCount,
    seconds: (performance.now() - begun) / 1000,
    isInterrupted: signal.aborted,
    stepCount: md.stepCount,
  };
}
