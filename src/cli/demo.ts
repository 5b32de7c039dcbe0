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
import { ALL_DEVICES } from "../backend/devices.ts";
import { crystals, MODELS, openArgon } from "./demo_argon.ts";
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
import type { DemoOptions, DemoRun } from "./demo_run.ts";
import { type Command, readChoice, readCount, readNumber } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { findHost } from "../platform/host.ts";
import { disposing } from "../base/disposing.ts";

/** The command `hooke demo`, with its options and examples. */
export const DEMO: Command = {
  name: "demo",
  summary: "relaxes crystals of argon in one batch, then runs dynamics at 40 K",
  options: {
    systems: { value: "N", help: "Number of crystals of 32 atoms (default 64)" },
    fmax: { value: "F", help: "Largest force of a relaxed crystal, eV/Å (default 0.005)" },
    steps: {
      value: "N",
      help: "Number of dynamics steps of 4 fs; 0 skips them (default 1000)",
    },
    seed: {
      value: "N",
      help: "Random seed of the crystals and the thermostat (default 1)",
    },
    model: {
      value: "NAME",
      help: "Source of forces: onnx (a graph in onnxruntime-web) or kernel (default onnx)",
    },
    device: { value: "NAME", help: "auto, webgpu, wasm or reference (default auto)" },
    out: {
      value: "FOLDER",
      help: "Folder of the files, which are not overwritten (default hooke-demo, hooke-demo-2, …)",
    },
    trace: { value: "FILE", help: "Write a trace for https://ui.perfetto.dev, which is slower" },
    quiet: { help: "Show no progress and no plots" },
  },
  examples: [
    ["demo", "relaxes 64 crystals, and runs dynamics for 4 ps"],
    ["demo --systems 512 --fmax 0.001", "relaxes more crystals to a smaller force"],
    ["demo --model kernel", "relaxes them without onnxruntime-web"],
    ["demo --steps 0 --trace trace.json", "only relaxes, and writes a trace of the time spent"],
  ],
};

/**
 * Runs the demo with the values of its command-line options, by name, and prints the results. Throws a UsageError if
 * a value is invalid or a file cannot be created.
 */
export async function demo(
  values: ReadonlyMap<string, string>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const options = readDemo(values), trace = values.get("trace");
  if (trace !== undefined) assertWritable("the trace", trace);
  const files = openDemoFiles(values.get("out"));
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
  if (!options.isQuiet && !signal.aborted) print(NEXT);
}

function readDemo(values: ReadonlyMap<string, string>): DemoOptions {
  return {
    systems: readCount(values, "systems", 64, 1),
    fmax: readNumber(values, "fmax", 0.005),
    steps: readCount(values, "steps", 1000, 0),
    seed: readCount(values, "seed", 1, 0),
    model: readChoice(values, "model", MODELS),
    device: readChoice(values, "device", ALL_DEVICES),
    isQuiet: values.has("quiet"),
  };
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
