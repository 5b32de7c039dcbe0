/**
 * `hooke demo`: relaxes crystals of argon in one batch, keeps them at a temperature, and says what came of it.
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
import { DEVICES } from "../backend/devices.ts";
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

/** The command's options. */
export const DEMO: Command = {
  name: "demo",
  summary: "relaxes shaken crystals of argon in one batch, then keeps them at 40 K",
  options: {
    systems: { value: "N", help: "Crystals, of 32 atoms each (default 64)" },
    fmax: { value: "F", help: "Relaxed when no force is larger, eV/Å (default 0.005)" },
    steps: {
      value: "N",
      help: "Steps of dynamics afterwards, 4 fs each; 0 for none (default 1000)",
    },
    seed: {
      value: "N",
      help: "Whose equal gives the same crystals and the same noise (default 1)",
    },
    model: {
      value: "NAME",
      help: "What relaxes them: onnx, a graph in onnxruntime-web, or kernel (default onnx)",
    },
    device: { value: "NAME", help: "auto, webgpu, wasm or reference (default auto)" },
    out: {
      value: "FOLDER",
      help: "Where the files go; what is there stays (default hooke-demo, or hooke-demo-2, …)",
    },
    trace: { value: "FILE", help: "Write a trace that https://ui.perfetto.dev opens; slower" },
    quiet: { help: "Neither progress nor pictures" },
  },
  examples: [
    ["demo", "relaxes 64 crystals, and heats them for 4 ps"],
    ["demo --systems 512 --fmax 0.001", "more of them, and more exactly"],
    ["demo --model kernel", "relaxes them without onnxruntime-web"],
    ["demo --steps 0 --trace trace.json", "relaxation only, and writes where the time went"],
  ],
};

/** Runs the demo. */
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
    device: readChoice(values, "device", DEVICES),
    isQuiet: values.has("quiet"),
  };
}

/** With a log, and each crystal as it was when it had relaxed. */
async function relaxWithFiles(batch: Batch, run: DemoRun): Promise<Relaxation> {
  const { options: { model: name, device, fmax }, files, signal } = run;
  const sink = new MemorySink();
  const begun = performance.now();
  await using argon = await openArgon(name);
  const opening = (performance.now() - begun) / 1000;
  const relaxation = await relax(batch, {
    model: argon.model,
    device,
    fmax,
    signal,
    watch(hooks) {
      hooks.add(new LoggingHook({ backend: "csv", logPath: files.relaxLog, frequency: 5 }));
      hooks.add(new ConvergedSnapshotHook({ sink }));
      addWatchers(hooks, run);
    },
  });
  if (sink.length > 0) await Deno.writeTextFile(files.relaxed, writeExtxyz(sink.read()));
  return { ...relaxation, seconds: relaxation.seconds + opening };
}

/** With a log. */
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

/** Progress and profile, where they are wanted. */
function addWatchers(hooks: HookSet<DynamicsKind>, run: DemoRun, nSteps?: number): void {
  for (const progress of progressOf(run, nSteps)) hooks.add(progress);
  if (run.profiler !== undefined) hooks.add(run.profiler, { order: "first" });
}
