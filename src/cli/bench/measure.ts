/**
 * Measurement of dynamics on one device.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { disposing } from "../../base/disposing.ts";
import { NVE } from "../../dynamics/integrators/nve.ts";
import { residentMemory } from "../../platform/process.ts";
import type { OpenPotential } from "../run/potential.ts";

/** Figures of one device. */
export interface Figures {
  /** Median time of a step, ms. */
  readonly msPerStep: number;
  /** Fastest and slowest measurement of a step, ms. */
  readonly range: readonly [fastest: number, slowest: number];
  readonly atomStepsPerSecond: number;
  /** Simulated time of a day, ns. */
  readonly nsPerDay: number;
  /** Number of measured steps. */
  readonly steps: number;
  /** Time until the end of the first step, s. */
  readonly openingSeconds: number;
  /** Growth of the memory of the process, bytes; undefined if the runtime does not tell it. */
  readonly memoryBytes: number | undefined;
  /** Runtime of an ONNX model; undefined for built-in potentials. */
  readonly runtime: string | undefined;
  /** Reason why an ONNX model does not run on the GPU; undefined if it does, or was not to. */
  readonly note: string | undefined;
}

/** Conditions of a measurement. */
export interface MeasureOptions {
  /** Time for the steps, ms. It begins after the warm-up. */
  readonly budget: number;
  /** Time step, fs. */
  readonly dt: number;
  readonly signal: AbortSignal;
  /** Clock, ms. @default performance.now */
  readonly now?: () => number;
}

/** Duration of one measurement of several steps, ms. */
const CHUNK = 150;

/** Opens a potential and measures steps of NVE dynamics. Throws the errors of both. */
export async function measure(
  open: () => Promise<OpenPotential>,
  batch: Batch,
  { budget, dt, signal, now = () => performance.now() }: MeasureOptions,
): Promise<Figures> {
  const before = residentMemory(), begun = now();
  return await disposing(await open(), async ({ model, engine }) => {
    const md = new NVE({ model, dt, ...engine, signal, onWarning: () => {} });
    try {
      await md.run(batch, 1);
      const openingSeconds = (now() - begun) / 1000;
      await md.run(batch, 1); // the first step may also compile code
      const { times, steps } = await timedSteps((count) => md.run(batch, count), {
        budget,
        signal,
        now,
      });
      const msPerStep = times[Math.floor((times.length - 1) / 2)]!;
      const after = residentMemory();
      const facts = model as { readonly runtime?: string; readonly describe?: () => string };
      return {
        msPerStep,
        range: [times[0]!, times.at(-1)!],
        atomStepsPerSecond: batch.nodeCount / msPerStep * 1000,
        nsPerDay: dt * 1e-6 * 86_400_000 / msPerStep,
        steps,
        openingSeconds,
        memoryBytes: before === undefined || after === undefined
          ? undefined
          : Math.max(0, after - before),
        runtime: facts.runtime?.replace(/;.*$/, ""),
        note: /it runs on the host instead of WebGPU: .*/.exec(facts.describe?.() ?? "")?.[0],
      };
    } finally {
      await md.close();
    }
  });
}

/** Runs steps until the budget is spent. Returns the times of a step in ms, the shortest first. */
async function timedSteps(
  run: (count: number) => Promise<unknown>,
  { budget, signal, now }: Required<Pick<MeasureOptions, "budget" | "signal" | "now">>,
): Promise<{ readonly times: readonly number[]; readonly steps: number }> {
  const times: number[] = [], end = now() + budget;
  let count = 1, steps = 0;
  do {
    signal.throwIfAborted();
    const begun = now();
    await run(count);
    signal.throwIfAborted(); // an interrupted run has fewer steps
    const each = (now() - begun) / count;
    steps += count;
    // Short measurements contain the cost of starting a run; they only tell how long the next one must be.
    const isLong = each * count >= CHUNK / 2;
    if (isLong || now() >= end) times.push(each);
    if (!isLong) count = Math.max(2 * count, Math.ceil(CHUNK / Math.max(each, 1e-3) / 2));
  } while (now() < end);
  return { times: times.toSorted((a, b) => a - b), steps };
}
