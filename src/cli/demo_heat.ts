/**
 * Second part of the demo: dynamics of the crystals with a thermostat. This file uses no Deno API, so that it runs in
 * a web page.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { initVelocities } from "../batch/velocities.ts";
import { NVTLangevin } from "../dynamics/integrators/nvt_langevin.ts";
import { hook } from "../hook.ts";
import { ARGON } from "./demo_argon.ts";
import type { PartOptions, PartResult } from "./demo_part.ts";
import { disposing } from "../base/disposing.ts";

/** Temperature of the thermostat, K. */
export const TARGET = 40;

/** Options of {@linkcode heat}. */
export interface HeatOptions extends PartOptions {
  /** Number of steps. */
  readonly steps: number;
  /** Seed of velocities and noise. */
  readonly seed: number;
}

/** Result of the dynamics. */
export interface Dynamics extends PartResult {
  /** Mean temperature of all crystals at every tenth step, K. */
  readonly means: readonly number[];
  /** Temperatures of single crystals in the second half of the run, K. All crystals are sampled at every tenth step. */
  readonly late: readonly number[];
  /** Number of atoms in a crystal. */
  readonly atoms: number;
  /** Number of atoms times number of steps. */
  readonly atomSteps: number;
}

/** Runs dynamics of the crystals of a batch with a Langevin thermostat. Velocities are drawn first. */
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
  const engine = new NVTLangevin({
    model: ARGON,
    dt: 4,
    temperature: TARGET,
    friction: 0.02,
    seed,
    device,
    ...(signal !== undefined && { signal }),
    hooks: [look],
  });
  return await disposing(engine, async (md) => {
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
  });
}
