/**
 * Table of the command `hooke bench`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { count, files, flag, number, texts } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { CONFIG_OPTIONS, INPUT_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import type { BenchSettings } from "./settings.ts";

/** The command `hooke bench`. */
export const BENCH: Command<BenchSettings> = {
  name: "bench",
  summary: "measures dynamics with a potential on each device of this machine",
  options: {
    files: files({
      value: "STRUCTURE",
      also: ["struct", "structure"],
      help: "Structure; of several frames the first, or FILE@INDEX",
      otherwise: "argon, 6912 atoms; required for other potentials",
    }),
    model: POTENTIAL_OPTIONS.model,
    copies: count({
      help: "Number of copies of the structure, as one batch",
      initial: 1,
      least: 1,
    }),
    time: number({ value: "S", help: "Time for all measurements, s", initial: 20 }),
    device: texts({
      value: "NAME",
      help: "Measure only wasm, native or webgpu; repeatable",
      otherwise: "all that are there",
    }),
    threads: count({
      help: "Largest number of threads",
      otherwise: "number of processors",
      initial: undefined,
      least: 1,
    }),
    dt: number({ value: "FS", also: ["timestep"], help: "Time step, fs", initial: 1 }),
    temperature: number({
      value: "K",
      help: "Temperature of the initial velocities, K",
      initial: 300,
      least: 0,
    }),
    modelOptions: POTENTIAL_OPTIONS.modelOptions,
    json: flag({ help: "Print one JSON object instead of text" }),
    quiet: INPUT_OPTIONS.quiet,
    ...FORMAT_OPTIONS,
    ...CONFIG_OPTIONS,
  },
  notes: [
    "It runs NVE dynamics on one device after the other, for equal shares of --time, and prints the median time of a step. A device whose steps are longer than its share runs one step after the warm-up. Other busy programs make all figures worse.",
    "Opening includes reading the potential, compiling, and the first step. Memory is the growth of the process; memory of the GPU is not in it.",
  ],
  examples: [
    ["bench", "measures the built-in potential of argon"],
    [
      "bench water.xyz --model mace.onnx",
      "measures a potential, and shows what --device auto takes",
    ],
    ["bench water.xyz --copies 16 --model mace.onnx --device webgpu --json", "prints JSON"],
  ],
  load: async () => (await import("./bench.ts")).bench,
};
