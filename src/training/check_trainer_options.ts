/**
 * Checks of the options of a trainer.
 *
 * @module
 */

import { ALL_DEVICES, type DeviceName } from "../backend/devices.ts";
import { integersFrom } from "../base/check_number.ts";
import { checkKeys } from "../base/check_options.ts";
import { isObject } from "../base/object.ts";
import { complaint } from "../base/show.ts";
import type { ClipSettings, EmaSettings } from "./context.ts";
import { checkConfig } from "./engine/run_info.ts";
import type { TrainerParts } from "./trainer_options.ts";

const MEMBERS: Readonly<Record<keyof TrainerParts | "hooks", true>> = {
  model: true,
  loss: true,
  metrics: true,
  data: true,
  validation: true,
  optimizers: true,
  schedule: true,
  parameters: true,
  freeze: true,
  epochs: true,
  steps: true,
  accumulate: true,
  clip: true,
  ema: true,
  validateEvery: true,
  loaderOrder: true,
  workers: true,
  group: true,
  device: true,
  threads: true,
  threadMemory: true,
  runtime: true,
  name: true,
  signal: true,
  onWarning: true,
  verify: true,
  config: true,
  runInfo: true,
  hooks: true,
};

/** Names of the options of a trainer. */
export const TRAINER_MEMBERS: readonly string[] = Object.keys(MEMBERS);

/**
 * Checks the options of a trainer.
 *
 * @throws {TypeError} if an option is missing, unknown or of the wrong type
 * @throws {RangeError} if an option has a wrong value
 */
export function checkTrainerOptions(options: unknown): void {
  const action = "make a trainer";
  if (!isObject(options)) {
    throw new TypeError(complaint(action, "its options must be an object", options));
  }
  checkKeys(action, "its options", options, TRAINER_MEMBERS);
  for (const member of ["model", "loss", "optimizers"] as const) {
    if (options[member] !== undefined) continue;
    throw new TypeError(`Cannot ${action}: ${member} is required: pass { ${member}: … }`);
  }
  for (const member of ["epochs", "accumulate"] as const) {
    checkCount(action, member, options[member], 1);
  }
  for (const member of ["threads", "workers"] as const) {
    checkFiniteCount(action, member, options[member], 1);
  }
  checkCount(action, "steps", options.steps, 0);
  checkDevice(action, options);
  checkRuntime(action, options.runtime);
  checkMembers(action, options);
  checkTimes(action, options.validateEvery);
  checkClip(action, options.clip as ClipSettings | undefined);
  checkEma(action, options.ema as EmaSettings | undefined);
}

function checkDevice(action: string, options: Readonly<Record<string, unknown>>): void {
  const { device = "wasm", workers, group } = options;
  if (!ALL_DEVICES.includes(device as DeviceName)) {
    throw new RangeError(
      complaint(action, `device must be one of ${ALL_DEVICES.join(", ")}`, device),
    );
  }
  if (workers !== undefined && device !== "wasm") {
    throw new RangeError(complaint(action, 'device must be "wasm" if workers are given', device));
  }
  if (group === undefined) return;
  if (!isObject(group) || typeof group.sum !== "function") {
    throw new TypeError(complaint(action, "group must be a result of openTrainingGroup()", group));
  }
  if (device !== "wasm") {
    throw new RangeError(complaint(action, 'device must be "wasm" in a group', device));
  }
  if (workers !== undefined) {
    throw new RangeError(
      complaint(action, "workers must not be given with group, which has its own", workers),
    );
  }
}

function checkRuntime(action: string, runtime: unknown): void {
  if (runtime === undefined || RUNTIMES.includes(runtime)) return;
  throw new RangeError(complaint(action, `runtime must be one of ${RUNTIMES.join(", ")}`, runtime));
}

const RUNTIMES: readonly unknown[] = ["auto", "native", "web"];

/** Throws a TypeError for the first option of the wrong type. */
function checkMembers(action: string, options: Readonly<Record<string, unknown>>): void {
  const { model, loss, metrics, optimizers, schedule, parameters, freeze, hooks } = options;
  const wrong = (what: string, value: unknown) => new TypeError(complaint(action, what, value));
  const has = (value: unknown, member: string) =>
    isObject(value) && typeof value[member] === "function";
  if (typeof model !== "string" && !isObject(model)) {
    throw wrong("model must be the bytes, the URL or the path of an .onnx file", model);
  }
  if (typeof loss !== "function" && !has(loss, "terms")) {
    throw wrong("loss must be a loss such as mse(), or a function that builds one", loss);
  }
  if (metrics !== undefined && !isObject(metrics)) {
    throw wrong("metrics must be an object, name → metric", metrics);
  }
  for (const [name, metric] of Object.entries(metrics ?? {})) {
    if (has(metric, "mean") || has(metric, "terms")) continue;
    throw wrong(`metric ${name} must be a metric or a loss`, metric);
  }
  for (const one of [optimizers].flat()) {
    if (isObject(one) && Array.isArray(one.transforms)) continue;
    throw wrong("optimizers must be results of adam(), sgd() or optimizer()", one);
  }
  if (schedule !== undefined && !has(schedule, "factor")) {
    throw wrong(
      "schedule must be an object with a method factor, such as cosine({ steps: 1000 })",
      schedule,
    );
  }
  for (const pattern of [parameters ?? [], freeze ?? []].flat()) {
    if (typeof pattern === "string") continue;
    throw wrong("parameters and freeze must be names, or patterns of names", pattern);
  }
  if (hooks !== undefined && !Array.isArray(hooks)) {
    throw wrong("hooks must be an array of hooks", hooks);
  }
  const { runInfo, config } = options;
  if (runInfo !== undefined && typeof runInfo !== "boolean") {
    throw wrong("runInfo must be true or false", runInfo);
  }
  checkConfig(config);
}

function checkTimes(action: string, times: unknown = {}): void {
  if (!isObject(times)) {
    throw new TypeError(complaint(action, "validateEvery must be an object", times));
  }
  checkKeys(action, "validateEvery", times, ["epochs", "steps"]);
  checkCount(action, "validateEvery.epochs", times.epochs, 0);
  checkCount(action, "validateEvery.steps", times.steps, 1);
}

/** Throws a RangeError unless a value is undefined, `Infinity`, or an integer of at least `least`. */
export function checkCount(action: string, member: string, value: unknown, least: number): void {
  if (value !== Infinity) checkFiniteCount(action, member, value, least);
}

function checkFiniteCount(action: string, member: string, value: unknown, least: number): void {
  if (value === undefined) return;
  if (Number.isSafeInteger(value) && (value as number) >= least) return;
  throw new RangeError(
    complaint(action, `${member} must be ${integersFrom(least)}`, value),
  );
}

/**
 * Checks the options of gradient clipping. Throws a TypeError if a member is unknown, and a RangeError if a limit is
 * not above 0.
 */
export function checkClip(action: string, clip: ClipSettings = {}): void {
  if (!isObject(clip)) throw new TypeError(complaint(action, "clip must be an object", clip));
  checkKeys(action, "clip", clip, ["norm", "value"]);
  for (const member of ["norm", "value"] as const) {
    const value = clip[member];
    if (value === undefined || (typeof value === "number" && value > 0)) continue;
    throw new RangeError(complaint(action, `clip.${member} must be above 0`, value));
  }
}

/**
 * Checks the options of parameter averages. Throws a TypeError if a member is unknown, and a RangeError if the decay
 * is not from 0 to 1.
 */
export function checkEma(action: string, ema: EmaSettings | undefined): void {
  if (ema === undefined) return;
  if (!isObject(ema)) throw new TypeError(complaint(action, "ema must be an object", ema));
  checkKeys(action, "ema", ema, ["decay", "validate"]);
  const { decay } = ema;
  if (typeof decay === "number" && decay >= 0 && decay <= 1) return;
  throw new RangeError(complaint(action, "ema.decay must be from 0 to 1", decay));
}
