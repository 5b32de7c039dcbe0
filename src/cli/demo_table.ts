/**
 * Table of the command `hooke demo`.
 *
 * @module
 */

import { ALL_DEVICES } from "../backend/devices.ts";
import { type DemoSettings, MODELS } from "./demo_settings.ts";
import type { Command } from "./frame/command.ts";
import { choice, count, flag, number, text } from "./frame/option.ts";

/** The command `hooke demo`, with its options and examples. */
export const DEMO: Command<DemoSettings> = {
  name: "demo",
  summary: "relaxes crystals of argon in one batch, then runs dynamics at 40 K",
  options: {
    systems: count({ help: "Number of crystals of 32 atoms", initial: 64, least: 1 }),
    fmax: number({ value: "F", help: "Largest force of a relaxed crystal, eV/Å", initial: 0.005 }),
    steps: count({
      help: "Number of dynamics steps of 4 fs; 0 skips them",
      initial: 1000,
      least: 0,
    }),
    seed: count({ help: "Random seed of the crystals and the thermostat", initial: 1, least: 0 }),
    model: choice(MODELS, {
      help: "Source of forces: onnx (a graph in onnxruntime) or kernel",
      initial: "onnx",
    }),
    device: choice(ALL_DEVICES, { help: "auto, webgpu, wasm or reference", initial: "auto" }),
    out: text({
      value: "FOLDER",
      help: "Folder of the files, which are not overwritten",
      otherwise: "hooke-demo, hooke-demo-2, …",
      initial: undefined,
    }),
    trace: text({
      value: "FILE",
      help: "Write a trace for https://ui.perfetto.dev, which is slower",
      initial: undefined,
    }),
    quiet: flag({ help: "Show no progress and no plots" }),
  },
  examples: [
    ["demo", "relaxes 64 crystals, and runs dynamics for 4 ps"],
    ["demo --systems 512 --fmax 0.001", "relaxes more crystals to a smaller force"],
    ["demo --model kernel", "relaxes them without onnxruntime-web"],
    ["demo --steps 0 --trace trace.json", "only relaxes, and writes a trace of the time spent"],
  ],
  load: async () => (await import("./demo.ts")).demo,
};
