/**
 * Options of {@linkcode Reporter}, and their checks.
 *
 * @module
 */

import { WHOLE, wholeFrom } from "../../base/check_number.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { TrainingStage } from "../../training/stages.ts";
import type { ScalarOf } from "./collect_scalars.ts";
import {
  checkNumber,
  checkOptions,
  checkRequired,
  checkType,
  isFunction,
  isOneOf,
} from "../any/hook_options.ts";
import type { ScalarReporter } from "./scalar_reporter.ts";

/** Options of {@linkcode Reporter}. */
export interface ReporterOptions {
  /** Reporters that receive the values. An empty list keeps only the history. */
  readonly reporters: readonly ScalarReporter[];
  /**
   * Number of steps between two collections. The ends of epochs and validations are always collected.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * Stages at which values are collected: literals of observe stages of any kind.
   *
   * @default `"dynamics/AFTER_STEP"`, `"training/STEP_END"`, `"training/VALIDATION_END"`, `"training/EPOCH_END"`, and
   * every observe stage of a loop of another kind
   */
  readonly stages?: readonly string[];
  /**
   * Custom scalars: functions of the context, by the names of the scalars.
   *
   * @default {}
   */
  readonly scalars?: Readonly<Record<string, ScalarOf>>;
  /**
   * Fields that the custom scalars read in `ctx.read`.
   *
   * @default []
   */
  readonly reads?: readonly string[];
  /**
   * Number of steps at which the work is done, counted from the first step of the engine. It includes the steps of
   * earlier runs, and the steps before a checkpoint from which the run continues. The remaining time is estimated
   * from it.
   *
   * @default undefined: the remaining time is not reported
   */
  readonly nSteps?: number;
  /**
   * Largest number of points that the history keeps of each scalar.
   *
   * @default 2000
   */
  readonly historySize?: number;
  /**
   * Reaction to a reporter that fails: `"warn"` is a warning of the engine, `"throw"` ends the run, `"disable"` is a
   * warning after which the reporter receives no more values.
   *
   * @default "warn"
   */
  readonly onError?: "warn" | "throw" | "disable";
  /**
   * Lowest status of a converged system.
   *
   * @default 1
   */
  readonly convergedStatus?: number;
  /**
   * Name of the hook.
   *
   * @default "reporter"
   */
  readonly name?: string;
  /**
   * Returns the time in ms. Tests replace it.
   *
   * @default performance.now
   */
  readonly now?: () => number;
}

/** Options with defaults applied. */
export interface ReadReporterOptions extends Required<Omit<ReporterOptions, "nSteps" | "stages">> {
  readonly stages: readonly string[];
  /** True if the option `stages` was given. */
  readonly hasStages: boolean;
  readonly nSteps: number | undefined;
}

const NAME = "Reporter";
const OPTIONS = [
  "reporters",
  "frequency",
  "stages",
  "scalars",
  "reads",
  "nSteps",
  "historySize",
  "onError",
  "convergedStatus",
  "name",
  "now",
];
const STAGES: readonly string[] = [
  DynamicsStage.AFTER_STEP,
  TrainingStage.STEP_END,
  TrainingStage.VALIDATION_END,
  TrainingStage.EPOCH_END,
];

/** Checks the options, and applies defaults. */
export function readReporter(options: ReporterOptions): ReadReporterOptions {
  checkOptions(NAME, options, OPTIONS);
  checkRequired(NAME, options, "reporters", "for example [tensorBoardReporter(folder)]");
  checkLists(options);
  checkType(NAME, options, "scalars", "an object of functions", areFunctions);
  checkType(NAME, options, "onError", '"warn", "throw" or "disable"', isOneOf(...POLICIES));
  checkType(NAME, options, "now", "a function", isFunction);
  checkType(NAME, options, "name", "a string", (x) => typeof x === "string" && x !== "");
  checkNumber(NAME, options, "frequency", wholeFrom(1));
  checkNumber(NAME, options, "nSteps", wholeFrom(0));
  checkNumber(NAME, options, "historySize", wholeFrom(2));
  checkNumber(NAME, options, "convergedStatus", WHOLE);
  for (const reporter of options.reporters) checkReporter(reporter);
  return {
    frequency: 1,
    scalars: {},
    reads: [],
    historySize: 2000,
    onError: "warn",
    convergedStatus: 1,
    name: "reporter",
    now: () => performance.now(),
    ...options,
    stages: options.stages ?? STAGES,
    hasStages: options.stages !== undefined,
    nSteps: options.nSteps,
  };
}

const POLICIES = ["warn", "throw", "disable"];

function checkLists(options: ReporterOptions): void {
  checkType(NAME, options, "reporters", "a list", Array.isArray);
  const areFields = (x: unknown) => Array.isArray(x) && x.every((key) => fieldName(key));
  checkType(NAME, options, "reads", "a list of field names", areFields);
  const areStages = (x: unknown) =>
    Array.isArray(x) && x.length > 0 &&
    x.every((stage) => typeof stage === "string" && /^[^/]+\/[^/]+$/.test(stage));
  checkType(NAME, options, "stages", 'a list of stages such as "dynamics/AFTER_STEP"', areStages);
}

function areFunctions(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isFunction);
}

/** Throws a TypeError or RangeError if a value is not a reporter. */
function checkReporter(reporter: unknown): void {
  const action = `make a ${NAME}`;
  if (!isObject(reporter) || typeof reporter.report !== "function") {
    throw new TypeError(
      complaint(
        action,
        "each of its reporters must be an object with a function report()",
        reporter,
      ),
    );
  }
  if (typeof reporter.name !== "string") {
    throw new TypeError(
      complaint(action, "the name of each reporter must be a string", reporter.name),
    );
  }
  const { every = 1, everySeconds = 0 } = reporter;
  if (!(Number.isSafeInteger(every) && Number(every) > 0)) {
    const requirement =
      `the option "every" of reporter ${reporter.name} must be a positive integer`;
    throw new RangeError(complaint(action, requirement, every));
  }
  if (typeof everySeconds === "number" && everySeconds >= 0) return;
  const requirement = `the option "everySeconds" of reporter ${reporter.name} must be 0 or more`;
  throw new RangeError(complaint(action, requirement, everySeconds));
}
