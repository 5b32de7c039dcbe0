/**
 * The command `hooke demo`: relaxes crystals of argon in one batch, runs dynamics at constant temperature, and
 * reports the results.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { writeExtxyz } from "../batch/extxyz/write.ts";
import type { DynamicsKind } from "../dynamics/engine/dynamics_options.ts";
import type { HookSet } from "../hooks/registry/hook_set.ts";
import { ConvergedSnapshotHook } from "../observe/atoms/converged_snapshot_hook.ts";
import { LoggingHook } from "../observe/atoms/logging_hook.ts";
import { Profiler } from "../observe/profile/profiler.ts";
import { MemorySink } from "../sinks/memory_sink.ts";
import { crystals, openArgon } from "./demo_argon.ts";
import { aboutDevice } from "./demo_device.ts";
import { assertWritable, openDemoFiles } from "./demo_files.ts";
import { type Dynamics, heat } from "./demo_heat.ts";
import { progressOf } from "./demo_progress.ts";
import { relax, type Relaxation } from "./demo_relax.ts";
import {
  aboutDynamics,
  aboutFiles,
  aboutRelaxation,
  dynamicsToCome,
  NEXT,
  relaxationToCome,
} from "./demo_report.ts";
import type { DemoRun } from "./demo_run.ts";
import type { DemoSettings } from "./demo_settings.ts";
import { type CommandRun, ExitCode } from "./frame/command.ts";
import { findHost } from "../platform/host.ts";
import { disposing } from "../base/disposing.ts";

/** Runs the demo, and prints the results. Throws a UsageError if a file cannot be created. */
export async function demo(
  options: DemoSettings,
  { terminal, signal }: CommandRun,
): Promise<number> {
  const { trace } = options;
  if (trace !== undefined) assertWritable("the trace", trace);
  const files = openDemoFiles(options.out);
  const profiler = trace === undefined ? undefined : new Profiler({ tracePath: trace });
  const run: DemoRun = { options, files, terminal, signal, profiler };

  const { print } = terminal;
  const batch = crystals(options.systems, options.seed);
  print(relaxationToCome(options));
  const relaxation = await relaxWithFiles(batch, run);
  print(aboutRelaxation(relaxation, options));
  print(aboutDevice(relaxation.device));
  let dynamics: Dynamics | undefined;
  if (!signal.aborted && options.steps > 0) {
    print(dynamicsToCome(options));
    dynamics = await heatWithFiles(batch, run);
    print(aboutDynamics(dynamics, options));
    const isSame = aboutDevice(dynamics.device) === aboutDevice(relaxation.device);
    if (!isSame) print(aboutDevice(dynamics.device));
  }
  if (profiler !== undefined) {
    print(`\nWhere the time went, from one stage to the next:\n\n${profiler.summary()}`);
  }
  print(aboutFiles(files, relaxation, dynamics, trace));
  if (!options.quiet && !signal.aborted) print(NEXT);
  return ExitCode.DONE;
}

/** Relaxes the crystals with a log, and writes those that have converged to a file. */
async function relaxWithFiles(batch: Batch, run: DemoRun): Promise<Relaxation> {
  const { options: { model: name, device, fmax }, files, signal } = run;
  const sink = new MemorySink();
  const begun = performance.now();
  const argon = await openArgon(name);
  const opening = (performance.now() - begun) / 1000;
  const relaxation = await disposing(argon, ({ model }) =>
    relax(batch, {
      model,
      device,
      fmax,
      signal,
      watch(hooks) {
        hooks.add(new LoggingHook({ backend: "csv", logPath: files.relaxLog, frequency: 5 }));
        hooks.add(new ConvergedSnapshotHook({ sink }));
        addWatchers(hooks, run);
      },
    }));
  if (sink.length > 0) await findHost()!.writeTextFile(files.relaxed, writeExtxyz(sink.read()));
  return { ...relaxation, seconds: relaxation.seconds + opening };
}

/** Runs dynamics of the crystals with a log. */
async function heatWithFiles(batch: Batch, run: DemoRun): Promise<Dynamics> {
  const { options: { device, steps, seed }, files, signal } = run;
  return await heat(batch, {
    device,
    steps,
    seed,
    signal,
    watch(hooks) {
      hooks.add(new LoggingHook({ backend: "csv", logPath: files.nvtLog, frequency: 10 }));
      addWatchers(hooks, run, steps);
    },
  });
}

/** Adds the progress hook if progress is shown, and the profiler if a trace was requested. */
function addWatchers(hooks: HookSet<DynamicsKind>, run: DemoRun, nSteps?: number): void {
  for (const progress of progressOf(run, nSteps)) hooks.add(progress);
  if (run.profiler !== undefined) hooks.add(run.profiler, { order: "first" });
}
