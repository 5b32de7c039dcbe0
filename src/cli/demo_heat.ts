/**
 * The second part of the demo: crystals in a bath. Nothing here is Deno's own: it runs in a page.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { initVelocities } from "../batch/velocities.ts";
import { NVTLangevin } from "../dynamics/integrators/nvt_langevin.ts";
import { hook } from "../hook.ts";
import { ARGON } from "./demo_argon.ts";
import type { PartOptions, PartResult } from "./demo_part.ts";

/** The temperature of the bath, K. */
export const TARGET = 40;

/** What to do in the bath. */
export interface HeatOptions extends PartOptions {
  /** How many steps. */
  readonly steps: number;
  /** Of velocities and noise. */
  readonly seed: number;
}

/** How the dynamics went. */
export interface Dynamics extends PartResult {
  /** The mean temperature of all crystals, K, at every tenth step. */
  readonly means: readonly number[];
  /** The temperatures of single crystals in the second half, K. */
  readonly late: readonly number[];
  /** Atoms of a crystal. */
  readonly atoms: number;
  /** Steps of atoms. */
  readonly atomSteps: number;
}

/** Runs the crystals of a batch in a bath. */
export async function heat(batch: Batch, options: HeatOptions): Promise<Dynamics> {
  const { device, steps, seed, signal } = options;
  batch.set("status", 0);
  initVelocities(batch, TARGET, { seed });
  const means: number[] = [], late: number[] = [];
  const look = hook({
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
    dt: 4,
    temperature: TARGET,
    friction: 0.02,
    seed,
    device,
    ...(signal !== undefined && { signal }),
    hooks: [look],
  });
  options.watch?.(md.hooks);
  const begun = performance.now();
  await md.run(batch, steps);
  return {
    means,
    late,
    atoms: batch.nodeCount / batch.size,
    atomSteps: md.stepCount * batch.nodeCount,
    seconds: (performance.now() - begun) / 1000,
    isInterrupted: signal?.aborted === true,
    stepCount: md.stepCount,
    device: md.device!,
  };
}
