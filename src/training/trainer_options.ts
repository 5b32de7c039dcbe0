/**
 * Options of a trainer.
 *
 * @module
 */

import type { DeviceName } from "../backend/devices.ts";
import type { HookWarning } from "../hooks/protocol/outcome.ts";
import type { AllChecked, HookInput, InitialHooks, Names } from "../hooks/registry/hook_set.ts";
import type { ModelSource } from "../onnx/session/session_source.ts";
import type { ClipSettings, EmaSettings } from "./context.ts";
import type { BatchesLike } from "./data/interleave.ts";
import type { NamedData } from "./data/named_data.ts";
import type { LossLike } from "./losses/loss.ts";
import type { MetricsByName } from "./metrics/metric.ts";
import type { Optimizer } from "./optimizers/optimizer.ts";
import type { Patterns } from "./graph/parameters.ts";
import type { ShardGroup } from "./parallel/shard_group.ts";
import type { Schedule } from "./schedules/schedule.ts";
import type { TrainingStage } from "./stages.ts";

/** The stages of training, as a type. */
export type TrainingKind = typeof TrainingStage;

/** Training or validation data: one source of batches, several sources by name, or a list of batches. */
export type TrainingData = BatchesLike | NamedData | Readonly<Record<string, BatchesLike>>;

/** Initial hooks of a trainer. */
export type TrainingHooks = readonly HookInput<TrainingKind>[];

/** Type that the initial hooks `H` of a trainer must have. It turns mistakes in the hooks into type errors. */
export type TrainingHooksOf<H> = AllChecked<TrainingKind, H>;

/** Times at which the model is validated. */
export interface ValidationTimes {
  /**
   * Number of epochs between two validations; 0 turns off validation after epochs.
   *
   * @default 1
   */
  readonly epochs?: number;
  /**
   * Number of steps between two validations.
   *
   * @default undefined: no validation within an epoch
   */
  readonly steps?: number;
}

/** Options of a trainer, without its hooks. */
export interface TrainerParts {
  /** The model: the bytes, URL or path of an .onnx file. Its float32 tensors are the parameters. */
  readonly model: ModelSource;
  /** The loss to minimize, or a function that adds the loss to the graph. */
  readonly loss: LossLike;
  /**
   * Metrics to measure in training and in validation.
   *
   * @default undefined
   */
  readonly metrics?: MetricsByName;
  /**
   * The training data. Without them only `step` can be called.
   *
   * @default undefined
   */
  readonly data?: TrainingData;
  /**
   * The validation data.
   *
   * @default undefined: no validation
   */
  readonly validation?: TrainingData;
  /** One optimizer, or several that each update their own parameters. */
  readonly optimizers: Optimizer | readonly Optimizer[];
  /**
   * Learning-rate schedule of the optimizers without a schedule.
   *
   * @default constant()
   */
  readonly schedule?: Schedule;
  /**
   * Names, or patterns of names, of the tensors to train.
   *
   * @default the parameters listed in the file; otherwise weights and biases, recognized by their names and uses
   */
  readonly parameters?: Patterns;
  /**
   * Parameters to keep frozen: names, or patterns of names.
   *
   * @default undefined
   */
  readonly freeze?: Patterns;
  /**
   * Number of epochs, over all calls of `train`.
   *
   * @default 1
   */
  readonly epochs?: number;
  /**
   * Maximum number of steps, over all calls of `train`.
   *
   * @default Infinity: all steps of the epochs
   */
  readonly steps?: number;
  /**
   * Number of batches per step. Their gradients are combined as if they were one batch.
   *
   * @default 1
   */
  readonly accumulate?: number;
  /**
   * Gradient clipping.
   *
   * @default undefined: no clipping
   */
  readonly clip?: ClipSettings;
  /**
   * Exponential moving averages of the parameters.
   *
   * @default undefined: no averages
   */
  readonly ema?: EmaSettings;
  /**
   * Times at which the model is validated.
   *
   * @default after each epoch
   */
  readonly validateEvery?: ValidationTimes;
  /**
   * Order in which several data sources supply batches.
   *
   * @default "sequential"
   */
  readonly loaderOrder?: "sequential" | "roundRobin";
  /**
   * Number of workers among which each batch is divided. Their gradients are added.
   *
   * @default undefined: batches are not split
   */
  readonly workers?: number;
  /**
   * Group of machines among which the shards of each batch are divided, for training and for validation; see
   * `openTrainingGroup`. All machines run the same program with the same data.
   *
   * @default undefined: this process computes everything
   */
  readonly group?: ShardGroup;
  /**
   * Device on which parameters, gradients and optimizer state are kept.
   *
   * @default "wasm"
   */
  readonly device?: DeviceName;
  /**
   * Number of onnxruntime threads on wasm.
   *
   * @default 1: results are bitwise reproducible
   */
  readonly threads?: number;
  /**
   * Memory in bytes of each session with several threads in Deno; see `openSession`.
   *
   * @default 2 GiB
   */
  readonly threadMemory?: number;
  /**
   * Implementation of onnxruntime on the processor: `"native"` is the package onnxruntime-node, three to six times
   * faster than `"web"`. `"auto"` uses native if the package is installed and may be loaded, and web otherwise. A run
   * that resumes with the other implementation differs in the last bits.
   *
   * @default "auto"
   */
  readonly runtime?: "auto" | "native" | "web";
  /**
   * Name of the trainer in listings, logs and checkpoints.
   *
   * @default "trainer"
   */
  readonly name?: string;
  /** Signal that stops the run after the current step. The run does not wait forever for hooks that do not return. */
  readonly signal?: AbortSignal;
  /**
   * Called with each hook error that does not stop the run.
   *
   * @default prints the first error of each hook
   */
  readonly onWarning?: (warning: HookWarning) => void;
  /**
   * True to check that observers change nothing. This is slow and meant for tests.
   *
   * @default false
   */
  readonly verify?: boolean;
  /**
   * Configuration of the run: plain data, URLs and functions. Its hash uses the text of URLs and ignores functions.
   * It is available as `trainer.config` and to hooks at TRAIN_BEGIN; logs write its hash.
   *
   * @default the option `hooksConfig`, for a `Trainer`
   */
  readonly config?: unknown;
  /**
   * False to leave the id of the run, the commit and the hash of the configuration out of logs.
   *
   * @default true
   */
  readonly runInfo?: boolean;
}

/** Options of a trainer, with its initial hooks. */
export type TrainerOptions<
  H extends TrainingHooksOf<H> = never,
  N extends Names = Names,
  W extends Names = Names,
> = TrainerParts & {
  /**
   * Initial hooks. To add hooks with options, use `hooks.add`.
   *
   * @default undefined
   */
  readonly hooks?: [H] extends [never] ? TrainingHooks : InitialHooks<TrainingKind, H, N, W>;
};

/** Result of `Trainer.step`. */
export interface StepResult {
  /** The loss of the last batch of the step. */
  readonly loss: number;
  /** The loss of the last batch of the step, its terms, and the metrics, by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** True if a gate vetoed the update, so that no parameter has changed. */
  readonly skipped: boolean;
}
