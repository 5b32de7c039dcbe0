/**
 * What a trainer is made of.
 *
 * @module
 */

import { type DeviceName, DEVICES } from "../backend/webgpu/pick.ts";
import { checkKeys, isObject } from "../hooks/protocol/shape.ts";
import { complaint } from "../base/show.ts";
import type { HookWarning } from "../hooks/protocol/outcome.ts";
import type { AcceptAll, HookInput } from "../hooks/registry/registry.ts";
import type { ModelSource } from "../onnx/session/session_source.ts";
import type { ClipSettings, EmaSettings } from "./context.ts";
import type { BatchesLike } from "./data/interleave.ts";
import type { NamedData } from "./data/named_data.ts";
import type { LossLike } from "./losses/loss.ts";
import type { Metrics } from "./metrics/metric.ts";
import type { Optimizer } from "./optimizers/optimizer.ts";
import type { Patterns } from "./graph/parameters.ts";
import type { Schedule } from "./schedules/schedule.ts";
import type { TrainingStage } from "./stages.ts";

/** The kind of a trainer's stages. */
export type TrainingKind = typeof TrainingStage;

/** Where batches come from: one source, several by name, or a list of batches. */
export type TrainingData = BatchesLike | NamedData | Readonly<Record<string, BatchesLike>>;

/** Hooks that a trainer begins with. */
export type TrainingHooks = readonly HookInput<TrainingKind>[];

/** When the model is validated. */
export interface ValidationTimes {
  /**
   * After every so many epochs; 0: after none.
   *
   * @default 1
   */
  readonly epochs?: number;
  /**
   * After every so many steps, too.
   *
   * @default never
   */
  readonly steps?: number;
}

/** What a trainer is made of. */
export interface TrainerParts {
  /** The model: the bytes of an .onnx file, its address or its path. Its tensors of float32 are the parameters. */
  readonly model: ModelSource;
  /** What is made small: a loss, or a function that writes one into the graph. */
  readonly loss: LossLike;
  /**
   * What is measured besides, in training and in validation.
   *
   * @default none
   */
  readonly metrics?: Metrics;
  /**
   * What it is trained with; without it only `step` can be called.
   *
   * @default none
   */
  readonly data?: TrainingData;
  /**
   * What it is validated with.
   *
   * @default none: there is no validation
   */
  readonly validation?: TrainingData;
  /** What moves the parameters: one optimizer, or several with parameters of their own. */
  readonly optimizers: Optimizer | readonly Optimizer[];
  /**
   * What the learning rates of all optimizers follow that have no schedule of their own.
   *
   * @default they stay as they are
   */
  readonly schedule?: Schedule;
  /**
   * The tensors that are trained: names, or patterns of names.
   *
   * @default what the file calls parameters, else what stands where weights and biases do
   */
  readonly parameters?: Patterns;
  /**
   * Those that stay as they are all the same.
   *
   * @default none
   */
  readonly freeze?: Patterns;
  /**
   * Until how many epochs are done, over all calls of `train`.
   *
   * @default 1
   */
  readonly epochs?: number;
  /**
   * Until how many steps are done, if that is sooner.
   *
   * @default as many as the epochs have
   */
  readonly steps?: number;
  /**
   * How many batches are one step: their gradients are those of one batch of all their samples.
   *
   * @default 1
   */
  readonly accumulate?: number;
  /**
   * How gradients are clipped.
   *
   * @default not at all
   */
  readonly clip?: ClipSettings;
  /**
   * How averages of the parameters are kept.
   *
   * @default not at all
   */
  readonly ema?: EmaSettings;
  /**
   * When it is validated.
   *
   * @default after each epoch
   */
  readonly validateEvery?: ValidationTimes;
  /**
   * How several sources of batches take turns.
   *
   * @default "sequential"
   */
  readonly loaderOrder?: "sequential" | "roundRobin";
  /**
   * Workers that share each batch: their gradients are added up.
   *
   * @default none: it is not shared
   */
  readonly workers?: number;
  /**
   * Where it runs: parameters, what optimizers keep, and gradients stay there.
   *
   * @default "wasm"
   */
  readonly device?: DeviceName;
  /**
   * Threads of onnxruntime on wasm.
   *
   * @default 1: the same bits every time
   */
  readonly threads?: number;
  /**
   * What it is called in listings, logs and checkpoints.
   *
   * @default "trainer"
   */
  readonly name?: string;
  /** Stops it after the step under way. */
  readonly signal?: AbortSignal;
  /** Told of every error of a hook that does not stop the run. @default prints the first of each hook */
  readonly onWarning?: (warning: HookWarning) => void;
  /**
   * Whether observers are checked for changing what they look at. Slow: for tests.
   *
   * @default false
   */
  readonly verify?: boolean;
}

/** What a trainer is made of, and its first hooks. */
export type TrainerOptions<H extends TrainingHooks = TrainingHooks> = TrainerParts & {
  /**
   * Hooks to begin with; `hooks.add` takes more, with options.
   *
   * @default none
   */
  readonly hooks?: H & AcceptAll<TrainingKind, H>;
};

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
  device: true,
  threads: true,
  name: true,
  signal: true,
  onWarning: true,
  verify: true,
  hooks: true,
};

/** Throws a TypeError or RangeError for options that are not what they must be. */
export function checkTrainerOptions(options: unknown): void {
  const action = "make a trainer";
  if (!isObject(options)) {
    throw new TypeError(complaint(action, "its options must be an object", options));
  }
  checkKeys(action, "its options", options, Object.keys(MEMBERS));
  for (const member of ["model", "loss", "optimizers"] as const) {
    if (options[member] !== undefined) continue;
    throw new TypeError(complaint(action, `it must have ${member}`, undefined));
  }
  for (const member of ["epochs", "accumulate", "threads", "workers"] as const) {
    checkCount(action, member, options[member], 1);
  }
  checkCount(action, "steps", options.steps, 0);
  checkDevice(action, options);
  checkMembers(action, options);
  checkTimes(action, options.validateEvery);
  checkClip(action, options.clip as ClipSettings | undefined);
  checkEma(action, options.ema as EmaSettings | undefined);
}

function checkDevice(action: string, options: Readonly<Record<string, unknown>>): void {
  const { device = "wasm", workers } = options;
  if (!DEVICES.includes(device as DeviceName)) {
    throw new RangeError(complaint(action, `device must be one of ${DEVICES.join(", ")}`, device));
  }
  if (workers !== undefined && device !== "wasm") {
    throw new RangeError(complaint(action, 'workers need the device "wasm"', device));
  }
}

/** Throws a TypeError for members of other kinds than they must be. */
function checkMembers(action: string, options: Readonly<Record<string, unknown>>): void {
  const { model, loss, metrics, optimizers, schedule, parameters, freeze, hooks } = options;
  const wrong = (what: string, value: unknown) => new TypeError(complaint(action, what, value));
  const has = (value: unknown, member: string) =>
    isObject(value) && typeof value[member] === "function";
  if (typeof model !== "string" && !isObject(model)) {
    throw wrong("model must be the bytes of an .onnx file, its address or its path", model);
  }
  if (typeof loss !== "function" && !has(loss, "terms")) {
    throw wrong("loss must be a loss, or a function that writes one", loss);
  }
  if (metrics !== undefined && !isObject(metrics)) {
    throw wrong("metrics must be metrics by name", metrics);
  }
  for (const [name, metric] of Object.entries(metrics ?? {})) {
    if (has(metric, "mean") || has(metric, "terms")) continue;
    throw wrong(`metric ${name} must be a metric or a loss`, metric);
  }
  for (const one of [optimizers].flat()) {
    if (isObject(one) && Array.isArray(one.transforms)) continue;
    throw wrong("optimizers must be what adam(), sgd() or optimizer() gives", one);
  }
  if (schedule !== undefined && !has(schedule, "factor")) {
    throw wrong("schedule must have a function factor", schedule);
  }
  for (const pattern of [parameters ?? [], freeze ?? []].flat()) {
    if (typeof pattern === "string") continue;
    throw wrong("parameters and freeze must be names, or patterns of names", pattern);
  }
  if (hooks !== undefined && !Array.isArray(hooks)) throw wrong("hooks must be a list", hooks);
}

function checkTimes(action: string, times: unknown = {}): void {
  if (!isObject(times)) {
    throw new TypeError(complaint(action, "validateEvery must be an object", times));
  }
  checkKeys(action, "validateEvery", times, ["epochs", "steps"]);
  checkCount(action, "validateEvery.epochs", times.epochs, 0);
  checkCount(action, "validateEvery.steps", times.steps, 1);
}

/** Throws a RangeError for what is given and is no whole number from `least` on. */
export function checkCount(action: string, member: string, value: unknown, least: number): void {
  if (value === undefined || value === Infinity) return;
  if (Number.isSafeInteger(value) && (value as number) >= least) return;
  throw new RangeError(
    complaint(action, `${member} must be a whole number from ${least} on`, value),
  );
}

/** Throws a RangeError for a clip that is not above 0. */
export function checkClip(action: string, clip: ClipSettings = {}): void {
  if (!isObject(clip)) throw new TypeError(complaint(action, "clip must be an object", clip));
  checkKeys(action, "clip", clip, ["norm", "value"]);
  for (const member of ["norm", "value"] as const) {
    const value = clip[member];
    if (value === undefined || (typeof value === "number" && value > 0)) continue;
    throw new RangeError(complaint(action, `clip.${member} must be above 0`, value));
  }
}

/** Throws a RangeError for a decay that is not from 0 to 1. */
export function checkEma(action: string, ema: EmaSettings | undefined): void {
  if (ema === undefined) return;
  if (!isObject(ema)) throw new TypeError(complaint(action, "ema must be an object", ema));
  checkKeys(action, "ema", ema, ["decay", "validate"]);
  const { decay } = ema;
  if (typeof decay === "number" && decay >= 0 && decay <= 1) return;
  throw new RangeError(complaint(action, "ema.decay must be from 0 to 1", decay));
}
