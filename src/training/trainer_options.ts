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
import type { Schedule } from "./schedules/schedule.ts";
import type { TrainingStage } from "./stages.ts";

/** Kind of the stages of a trainer. */
export type TrainingKind = typeof TrainingStage;

/** Source of batches: one source, several by name, or a list of batches. */
export type TrainingData = BatchesLike | NamedData | Readonly<Record<string, BatchesLike>>;

/** Initial hooks of a trainer. */
export type TrainingHooks = readonly HookInput<TrainingKind>[];

/** The type that the initial hooks `H` of a trainer must have. */
export type TrainingHooksOf<H> = AllChecked<TrainingKind, H>;

/** Times at which the model is validated. */
export interface ValidationTimes {
  /**
   * Number of epochs between two validations; 0 turns them off.
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
  /** The loss to minimize, or a function that writes it into the graph. */
  readonly loss: LossLike;
  /**
   * Metrics to measure in training and in validation.
   *
   * @default undefined
   */
  readonly metrics?: MetricsByName;
  /**
   * The training data. Without it only `step` can be called.
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
   * @default the parameters noted in the file; otherwise weights and biases, by their position in the graph
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
   * Number of batches per step. Their gradients are those of one batch with all their samples.
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
   * Number of workers that split each batch; their gradients are added.
   *
   * @default undefined: batches are not split
   */
  readonly workers?: number;
  /**
   * Device on which the parameters, gradients and optimizer state stay.
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
   * Memory of each session with several threads in Deno, in bytes, as `openSession` takes it.
   *
   * @default 2 GiB
   */
  readonly threadMemory?: number;
  /**
   * Implementation of onnxruntime on the processor: `"native"` is the package onnxruntime-node, three to six times
   * faster than `"web"`; `"auto"` is native if the program has the package and may load it, else web. A run that is
   * resumed with the other one differs in the last bits.
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
  /** Signal that stops the run after the current step; hooks that do not answer are not waited for without end. */
  readonly signal?: AbortSignal;
  /**
   * Called with each hook error that does not stop the run.
   *
   * @default prints the first error of each hook
   */
  readonly onWarning?: (warning: HookWarning) => void;
  /**
   * True to check that observers change nothing. Slow; meant for tests.
   *
   * @default false
   */
  readonly verify?: boolean;
  /**
   * Configuration of the run, plain data except for URLs, of which the text counts, and functions, which its hash leaves
   * out. It is `trainer.config`, hooks find it at TRAIN_BEGIN, and logs write its hash.
   *
   * @default the `hooksConfig` of a `Trainer`
   */
  readonly config?: unknown;
  /**
   * False to leave the id of the run, the commit and the hash of the configuration out of the logs.
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
   * Initial hooks; `hooks.add` takes more, with options.
   *
   * @default undefined
   */
  readonly hooks?: [H] extends [never] ? TrainingHooks : InitialHooks<TrainingKind, H, N, W>;
};

/** Result of a step. */
export interface StepResult {
  /** The loss of its last batch. */
  readonly loss: number;
  /** The loss, its terms, and the metrics. */
  readonly metrics: Readonly<Record<string, number>>;
  /** True if a gate vetoed the update. */
  readonly skipped: boolean;
}
