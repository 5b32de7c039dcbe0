/**
 * The first part of the demo: crystals are relaxed.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { writeExtxyz } from "../batch/extxyz_write.ts";
import { ConvergenceHook } from "../dynamics/convergence.ts";
import { FIRE } from "../dynamics/fire.ts";
import { hook } from "../hook.ts";
import { ConvergedSnapshotHook } from "../observe/converged_snapshot_hook.ts";
import { LoggingHook } from "../observe/logging_hook.ts";
import { MemorySink } from "../sinks/memory_sink.ts";
import { progressOf } from "./demo_progress.ts";
import { ARGON, type DemoRun } from "./demo_run.ts";

/** More than any crystal needs. */
const MOST_STEPS = 2000;

/** How the relaxation went. */
export interface Relaxation {
  /** Steps until each crystal had relaxed, of those that had. */
  readonly steps: readonly number[];
  /** eV per atom, as each crystal was to begin with. */
  readonly before: readonly number[];
  /** eV per atom of those that have relaxed. */
  readonly after: readonly number[];
  /** How long it took. */
  readonly seconds: number;
  /** Whether it was interrupted. */
  readonly isInterrupted: boolean;
  /** Steps done. */
  readonly stepCount: number;
}

/** Relaxes the crystals of a batch, with a log and a picture of each crystal when it has. */
export async function relax(batch: Batch, run: DemoRun): Promise<Relaxation> {
  const { options: { fmax }, files, signal, profiler } = run;
  const sink = new MemorySink();
  const atoms = batch.nodeCount / batch.size;
  let before: number[] = [];
  const look = hook({
    name: "energies before",
    once: true,
    reads: ["energy"],
    on: { dynamics: { BEFORE_STEP: ({ read }) => void (before = Array.from(read.energy)) } },
  });
  await using opt = new FIRE({
    model: ARGON,
    dt: 0.5,
    signal,
    hooks: [
      ConvergenceHook.fromFmax(fmax),
      new LoggingHook({ backend: "csv", logPath: files.relaxLog, frequency: 5 }),
      new ConvergedSnapshotHook({ sink }),
      look,
    ],
  });
  for (const progress of progressOf(run)) opt.hooks.add(progress);
  if (profiler !== undefined) opt.hooks.add(profiler, { order: "first" });
  const begun = performance.now();
  await opt.run(batch, MOST_STEPS);
  const seconds = (performance.now() - begun) / 1000;
  if (sink.length > 0) await Deno.writeTextFile(files.relaxed, writeExtxyz(sink.read()));
  const isRelaxed = (_: unknown, system: number) => batch.get("status")[system] === 1;
  const perAtom = (energies: ArrayLike<number>) => Array.from(energies, (energy) => energy / atoms);
  const steps = Array.from(batch.get("stepsDone"));
  return {
    steps: steps.filter(isRelaxed),
    before: perAtom(before),
    after: perAtom(batch.get("energy")).filter(isRelaxed),
    seconds,
    isInterrupted: signal.aborted,
    stepCount: opt.stepCount,
  };
}
