/**
 * Options that all commands with a potential share.
 *
 * @module
 */

import { ALL_DEVICES, type DeviceName } from "../../backend/devices.ts";
import {
  choice,
  count,
  files,
  flag,
  members,
  type Option,
  type OptionsOf,
  text,
  texts,
} from "../frame/option.ts";

/** Settings of commands that read a configuration file. */
export interface ConfigSettings {
  /** Path of a configuration file. */
  readonly config: string | undefined;
  /** Assignments `NAME=VALUE`, which the frame has applied already. */
  readonly set: readonly string[];
  /** True to print what would run, and to do nothing. */
  readonly dryRun: boolean;
}

/** Options of {@linkcode ConfigSettings}. */
export const CONFIG_OPTIONS: OptionsOf<ConfigSettings> = {
  config: text({
    value: "FILE",
    help: "Read options from a file (.json, .yaml or .toml); options of the command line win",
    initial: undefined,
  }),
  set: texts({ value: "NAME=VALUE", help: "Set any option, as in a configuration file" }),
  dryRun: flag({ help: "Print the settings and what would run, and do nothing" }),
};

/** Settings of the potential and its device. */
export interface PotentialSettings {
  /** Name, path or address of the potential; undefined for the built-in one of noble gases. */
  readonly model: string | undefined;
  /** Options of an ONNX model, such as `cutoff`. */
  readonly modelOptions: Readonly<Record<string, unknown>>;
  /** Device; undefined for `"auto"` with an ONNX model and `"wasm"` with a built-in potential. */
  readonly device: DeviceName | undefined;
  /** Runtime that runs ONNX models on the processor. */
  readonly runtime: "auto" | "native" | "web" | "evaluator";
  /** Number of threads. */
  readonly threads: number;
}

/** Adds the short form of elements, `H,C,N,O`, to the options of a model. */
function withElements(
  option: Option<Readonly<Record<string, unknown>>>,
): Option<Readonly<Record<string, unknown>>> {
  return {
    ...option,
    read(value) {
      const read = option.read(value);
      return typeof read?.elements === "string"
        ? { ...read, elements: read.elements.split(",").map((symbol) => symbol.trim()) }
        : read;
    },
  };
}

/** Options of {@linkcode PotentialSettings}. */
export const POTENTIAL_OPTIONS: OptionsOf<PotentialSettings> = {
  model: text({
    value: "MODEL",
    letter: "m",
    also: ["arch", "model-path", "calculator"],
    help: "Potential: an .onnx file, a folder with one, URL#sha256=HASH, or lj:ELEMENT",
    otherwise: "lj for noble gases; required for other elements",
    initial: undefined,
  }),
  modelOptions: withElements(members({
    help: "Option of an ONNX model, such as cutoff=5 (Å)",
    flags: { runtime: "runtime", threads: "threads" },
  })),
  device: choice(ALL_DEVICES, {
    help: "auto (a GPU if there is one), webgpu, wasm or reference (float64, slow)",
    otherwise: "auto with an ONNX model, wasm with a built-in potential",
    initial: undefined,
  }),
  runtime: choice(["auto", "native", "web", "evaluator"], {
    help: "Runtime of ONNX models on the processor: auto, native, web or evaluator",
    initial: "auto",
  }),
  threads: count({ help: "Number of threads", initial: 1, least: 1 }),
};

/** Options of engines that have options of their own in every command, for `members`. */
export const ENGINE_FLAGS = {
  model: "model",
  device: "device",
  threads: "threads",
  constraints: "constraints",
  hooks: "hooks",
} as const;

/** Settings of input and output. */
export interface InputSettings {
  /** Files of structures. */
  readonly files: readonly string[];
  /** Constraints, such as `fix:0-3`. */
  readonly constraints: readonly string[];
  /** Module with hooks. */
  readonly hooks: readonly string[];
  /** True to replace existing files. */
  readonly overwrite: boolean;
  /** True to print one JSON object per line. */
  readonly json: boolean;
  /** True to show no progress. */
  readonly quiet: boolean;
}

/** Options of {@linkcode InputSettings}. */
export const INPUT_OPTIONS: OptionsOf<InputSettings> = {
  files: files({
    value: "FILES…",
    also: ["struct", "structure"],
    help: "Structures (.xyz, .cif, POSCAR, .pdb and others); FILE@-1 or FILE@0:10 selects frames",
  }),
  constraints: texts({
    value: "SPEC",
    also: ["constraint"],
    help: "fix:0-3,8 or fix:Cu (atoms), fix-z:0-3 (coordinates), com; repeatable",
  }),
  hooks: texts({ value: "FILE.ts", help: "Add the hooks that a module exports; repeatable" }),
  overwrite: flag({ help: "Replace existing files of results" }),
  json: flag({ help: "Print one JSON object per line instead of text" }),
  quiet: flag({ letter: "q", help: "Show no progress" }),
};

/** Notes about constraints and potentials for the help of each command. */
export const EXIT_NOTE =
  "Exit codes: 0 done, 1 error, 2 wrong usage, 3 not converged or failed, 130 interrupted, 143 terminated, 129 hung up.";

/** Returns the paths of all files that options name. */
export function inputsOf(
  settings: {
    readonly files: readonly string[];
    readonly hooks: readonly string[];
    readonly model: string | undefined;
    readonly topology: string | undefined;
    readonly config: string | undefined;
    readonly trainFile?: readonly string[];
    readonly validFile?: readonly string[];
  },
): readonly string[] {
  const { files, hooks, model, topology, config, trainFile = [], validFile = [] } = settings;
  const single = [model, topology, config].filter((path) => path !== undefined);
  return [...files, ...hooks, ...trainFile, ...validFile, ...single];
}
