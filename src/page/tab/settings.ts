/**
 * Options of runs in a tab: those of the commands, with the same names, units, limits and defaults.
 *
 * @module
 */

import { ALL_DEVICES } from "../../backend/devices.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import { choice, gotInstead, type Option } from "../../cli/frame/option.ts";
import { ENSEMBLE_OPTIONS, INTERVAL_OPTIONS } from "../../cli/md/options.ts";
import { stepsOf } from "../../cli/md/config.ts";
import type { MdSettings } from "../../cli/md/settings.ts";
import { OPTIMIZER_OPTIONS } from "../../cli/relax/options.ts";
import type { RelaxSettings } from "../../cli/relax/settings.ts";
import { FORMAT_OPTIONS } from "../../cli/run/formats.ts";
import { INPUT_OPTIONS, POTENTIAL_OPTIONS } from "../../cli/run/table.ts";
import { DATA_OPTIONS, trainingOptions } from "../../cli/train/options.ts";
import type { TrainSettings } from "../../cli/train/settings.ts";
import type { TabOption, TabTask } from "./messages.ts";

/** Options by name. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** Settings of each task. */
export interface TaskSettings {
  readonly "md": MdSettings;
  readonly "relax": RelaxSettings;
  readonly "fine-tune": TrainSettings;
}

/** Options of the potential and of files, which all tasks have. In a tab, `device` is `"auto"` with any potential. */
const SHARED = {
  model: POTENTIAL_OPTIONS.model,
  modelOptions: POTENTIAL_OPTIONS.modelOptions,
  device: choice(ALL_DEVICES, {
    help: "auto (a GPU if there is one, else wasm), webgpu, wasm or reference (float64, slow)",
    initial: "auto",
  }),
  types: FORMAT_OPTIONS.types,
  units: FORMAT_OPTIONS.units,
};

const { trainFile: _, validFile: __, ...TARGETS } = DATA_OPTIONS;
const { freeze: ___, ...TRAINING } = trainingOptions({ lr: 1e-4, elementEnergies: "shift" });

/** Options of each task, in the order of a form. */
export const TASK_OPTIONS: Readonly<Record<TabTask, OptionTable>> = {
  "md": {
    ...ENSEMBLE_OPTIONS,
    ...INTERVAL_OPTIONS,
    constraints: INPUT_OPTIONS.constraints,
    ...SHARED,
  },
  "relax": { ...OPTIMIZER_OPTIONS, constraints: INPUT_OPTIONS.constraints, ...SHARED },
  "fine-tune": { ...TRAINING, ...TARGETS, ...SHARED },
};

/** Settings without an option in a tab. */
const FIXED = {
  files: [],
  constraints: [],
  hooks: [],
  overwrite: false,
  json: false,
  quiet: true,
  topology: undefined,
  config: undefined,
  set: [],
  dryRun: false,
  runtime: "auto",
  threads: 1,
  engineOptions: {},
  out: undefined,
  output: [],
  signal: undefined,
  checkpointEvery: 1000,
  restartLatest: false,
  trainFile: [],
  validFile: [],
  freeze: [],
};

/** Files of each task by the name of the option that keeps them apart from the others. */
const TRAJECTORY: Readonly<Record<TabTask, string | undefined>> = {
  "md": "trajectory.xyz",
  "relax": "trajectory.xyz",
  "fine-tune": undefined,
};

/**
 * Returns all settings of a task, with defaults.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if a value is out of its limits, or options contradict each other
 */
export function readTabSettings<T extends TabTask>(
  task: T,
  given: Readonly<Record<string, unknown>>,
): TaskSettings[T] {
  const table = TASK_OPTIONS[task];
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(table, name)) continue;
    throw new TypeError(
      `Cannot run ${task}: unknown option ${name}${didYouMean(name, Object.keys(table))}`,
    );
  }
  const read = Object.fromEntries(
    Object.entries(table).map(([name, option]) => [name, readTabOption(name, option, given[name])]),
  );
  const settings = { ...FIXED, traj: TRAJECTORY[task], ...read } as unknown as TaskSettings[T];
  if (task === "md") checkTime(settings as MdSettings);
  return settings;
}

/** Returns the value of an option, or its default for `undefined`. Throws a RangeError if it is out of the limits. */
export function readTabOption(name: string, option: Option<unknown>, value: unknown): unknown {
  if (value === undefined) return option.initial;
  const read = option.read(value);
  if (read !== undefined) return read;
  throw new RangeError(
    `Cannot use ${name}: it must be ${option.requirement}${gotInstead(option, value)}`,
  );
}

function checkTime({ steps, time, dt }: MdSettings): void {
  if (time === undefined) return;
  if (steps !== undefined) {
    throw new RangeError("Cannot use time together with steps: leave one of them empty");
  }
  if (stepsOf({ steps, time, dt }) > 0) return;
  throw new RangeError(`Cannot use time ${time}: it is shorter than half a step of ${dt} fs`);
}

/** Returns the options of all tasks as data, for a form. */
export function describeOptions(): Readonly<Record<TabTask, readonly TabOption[]>> {
  const of = (task: TabTask) =>
    Object.entries(TASK_OPTIONS[task]).map(([name, option]) => described(name, option));
  return { "md": of("md"), "relax": of("relax"), "fine-tune": of("fine-tune") };
}

function described(name: string, option: Option<unknown>): TabOption {
  const { help, initial, otherwise, requirement, choices, isNumber, form } = option;
  const isPlain = ["string", "number", "boolean"].includes(typeof initial);
  return {
    name,
    help,
    initial: isPlain ? initial as string | number | boolean : undefined,
    requirement,
    ...otherwise !== undefined && { otherwise },
    ...choices !== undefined && { choices },
    ...isNumber === true && { isNumber },
    ...form === "members" && { isObject: true },
    ...form === "list" && { isList: true },
  };
}
