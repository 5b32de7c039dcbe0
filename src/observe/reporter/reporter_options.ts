/**
 * What a reporter of a run is told, checked.
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
  checkGiven,
  checkNumber,
  checkOptions,
  checkType,
  isFunction,
  isOneOf,
} from "../any/hook_options.ts";
import type { ScalarReporter } from "./scalar_reporter.ts";

/** What a {@linkcode Reporter} is made of. */
export interface ReporterOptions {
  /** Who is told; none, where only the history is wanted. */
  readonly reporters: readonly ScalarReporter[];
  /**
   * Collects at every so many steps; at the end of each epoch and validation in any case.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * Where: observe stages of any kind, as literals.
   *
   * @default `"dynamics/AFTER_STEP"`, `"training/STEP_END"`, `"training/VALIDATION_END"`, `"training/EPOCH_END"`, and
   * every observe stage of a loop of another kind
   */
  readonly stages?: readonly string[];
  /**
   * Scalars of one's own: name → function of the context.
   *
   * @default none
   */
  readonly scalars?: Readonly<Record<string, ScalarOf>>;
  /**
   * Fields that these functions look at in `ctx.read`.
   *
   * @default none
   */
  readonly reads?: readonly string[];
  /**
   * How many steps there are to be in a run, where they are known: then the time left is told.
   *
   * @default nobody knows
   */
  readonly nSteps?: number;
  /**
   * The most points that the history keeps of each scalar.
   *
   * @default 2000
   */
  readonly historySize?: number;
  /**
   * What happens when a reporter fails: a warning of the engine, the end of the run, or a warning after which that
   * reporter is told no more.
   *
   * @default "warn"
   */
  readonly onError?: "warn" | "throw" | "disable";
  /**
   * The status from which on a system counts as converged.
   *
   * @default 1
   */
  readonly convergedStatus?: number;
  /**
   * The name of the hook.
   *
   * @default "reporter"
   */
  readonly name?: string;
  /**
   * Tells the time, ms: for tests.
   *
   * @default performance.now
   */
  readonly now?: () => number;
}

/** The options, whole. */
export interface ReadReporterOptions extends Required<Omit<ReporterOptions, "nSteps" | "stages">> {
  readonly stages: readonly string[];
  /** Whether the stages were chosen. */
  readonly isOwnChoice: boolean;
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

/** Checks the options. */
export function readReporter(options: ReporterOptions): ReadReporterOptions {
  checkOptions(NAME, options, OPTIONS);
  checkGiven(NAME, options, "reporters", "a list, as [consoleReporter({ write })] is one");
  checkLists(options);
  checkType(NAME, options, "scalars", "an object of functions", areFunctions);
  checkType(NAME, options, "onError", '"warn", "throw" or "disable"', isOneOf(...POLICIES));
  checkType(NAME, options, "now", "a function", isFunction);
  checkType(NAME, options, "name", "a text", (x) => typeof x === "string" && x !== "");
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
    isOwnChoice: options.stages !== undefined,
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

/** Throws a TypeError or RangeError for what is no reporter. */
function checkReporter(reporter: unknown): void {
  const action = `make a ${NAME}`;
  if (!isObject(reporter) || typeof reporter.report !== "function") {
    throw new TypeError(
      complaint(action, "each of its reporters must have a function report", reporter),
    );
  }
  if (typeof reporter.name !== "string") {
    throw new TypeError(complaint(action, "each of its reporters must have a name", reporter.name));
  }
  const { every = 1, everySeconds = 0 } = reporter;
  if (!(Number.isSafeInteger(every) && Number(every) > 0)) {
    const requirement = `every of reporter ${reporter.name} must be a whole number from 1 on`;
    throw new RangeError(complaint(action, requirement, every));
  }
  if (typeof everySeconds === "number" && everySeconds >= 0) return;
  const requirement = `everySeconds of reporter ${reporter.name} must be 0 or more`;
  throw new RangeError(complaint(action, requirement, everySeconds));
}
