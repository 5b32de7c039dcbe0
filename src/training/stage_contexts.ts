/**
 * The contexts of training hooks: the fields that a hook finds at each stage, and those that it may declare to read.
 *
 * @module
 */

import type {
  BaseContext,
  ClassContext,
  NumberList,
  ReadonlyNumbers,
} from "../hooks/protocol/context.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type {
  Activation,
  ActivationStatistics,
  OptimizerSettings,
  OptimizerView,
  RunInfo,
  ScheduleView,
  TrainerControl,
  TrainerState,
  TrainingBatch,
  TrainingPhase,
} from "./context.ts";

/** Fields at every training stage. */
export interface TrainingBase extends BaseContext {
  /** Epochs done before this one. */
  readonly epoch: number;
  /** The part of the run that the stage belongs to: training or validation. */
  readonly phase: TrainingPhase;
  /** The live state of the run. */
  readonly state: TrainerState;
  /** The trainer. */
  readonly trainer: TrainerControl;
  /** The optimizers, read-only; declare `writes: ["optimizers"]` to change one. */
  readonly optimizers: readonly OptimizerView[];
  /** The learning-rate schedule of each optimizer. */
  readonly lrSchedulers: readonly ScheduleView[];
}

/** The fields of {@linkcode TrainingBase} that only a trainer has; a custom loop may leave them out. */
export type TrainerFields = "phase" | "state" | "trainer" | "optimizers" | "lrSchedulers";

/** Fields at the beginning of training. */
export interface BeginContext extends TrainingBase {
  /** The configuration that the trainer was made with, as `trainer.config`. */
  readonly config: unknown;
  /** The facts of the run; `undefined` if the trainer's option `runInfo` is false. */
  readonly run: RunInfo | undefined;
}

/** Fields at the end of training. */
export interface EndContext extends TrainingBase {
  /** Outcome of the run. */
  readonly outcome: Outcome;
}

/** Fields of a batch. */
export interface BatchContext extends TrainingBase {
  /** Tensors. */
  readonly batch: TrainingBatch;
  /** Batches of this epoch, or of this validation, before it. */
  readonly batchIdx: number;
  /** Index of its data loader, from 0. */
  readonly loaderIdx: number;
  /** Name of that loader. */
  readonly loaderName: string;
}

/** Fields from AFTER_LOSS to the end of a batch. */
export interface LossContext extends BatchContext {
  /** The loss of this batch. */
  readonly loss: number;
}

/** Fields at the end of a batch. */
export interface BatchEndContext extends LossContext {
  /** `loss`, its terms, and the metrics of this phase. `loss` is NaN if the batch failed before its loss was known. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Outcome of the run. */
  readonly outcome: Outcome;
}

/** Fields from AFTER_BACKWARD to the optimizer step. */
export interface GradientContext extends LossContext {
  /** Parameter name → gradient. On a GPU a hook must declare them: `reads: ["gradients"]`. */
  readonly gradients: ReadonlyMap<string, NumberList>;
}

/** Fields after gradient clipping, and at the gate before the update. */
export interface NormContext extends GradientContext {
  /** Norm of all gradients together, before clipping. */
  readonly gradNorm: number;
}

/** Fields around an optimizer's step. */
export interface OptimizerContext extends NormContext {
  /** Index of the optimizer, from 0. */
  readonly optimizerIdx: number;
}

/** Fields at the end of an optimizer step. */
export interface StepContext extends LossContext {
  /** Norm of all gradients together, before clipping. */
  readonly gradNorm: number;
  /** Learning rate of the first group. */
  readonly lr: number;
  /** Samples seen so far, this step's included. */
  readonly samplesSeen: number;
  /** Tokens seen so far, if batches report their `tokens`. */
  readonly tokensSeen: number;
  /** True if a gate vetoed the update; no parameter has changed then. */
  readonly skipped: boolean;
}

/** Fields for a hook that computes a custom loss. */
export interface ComputeLossContext extends BatchContext {
  /** Output of the model → its numbers. */
  readonly outputs: ReadonlyMap<string, Activation>;
}

/** Result of a hook that computes a custom loss. */
export interface ComputedLoss {
  /** The loss. */
  readonly loss: number;
  /** Output of the model → derivative of the loss by each of its numbers. Outputs left out count as 0. */
  readonly slopes: ReadonlyMap<string, ArrayLike<number>>;
}

/** Fields at the end of an epoch, and of validation. */
export interface MetricsContext extends TrainingBase {
  /** Metric → value: `"train/loss"`, and `"val/loss"` if there was a validation. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Outcome of the run. */
  readonly outcome: Outcome;
}

/** Fields after a checkpoint was written or read. */
export interface CheckpointContext extends TrainingBase {
  /** Path of the file. */
  readonly path: string;
}

/** Fields after a step has thrown. */
export interface ExceptionContext extends TrainingBase {
  /** The error. */
  readonly error: unknown;
}

/** Parameter name → numbers. */
export type NamedNumbers = ReadonlyMap<string, Float32Array>;

/**
 * Fields that a training hook can declare to read. It can also write `optimizers`, `parameters` and `gradients`. A
 * pattern after a colon selects some of them: `"gradients:encoder*"`.
 */
export interface TrainingFields {
  /** The loss of the last batch. */
  readonly loss: number;
  /** Norm of all gradients together, before clipping. */
  readonly gradNorm: number;
  /** Learning rate of the first group. */
  readonly lr: number;
  /** The optimizers; a hook that writes them may change `lr`, `weightDecay` and `momentum` of each group. */
  readonly optimizers: readonly OptimizerSettings[];
  /** All trained parameters. */
  readonly parameters: NamedNumbers;
  /** Parameters whose names match a pattern. */
  readonly [some: `parameters:${string}`]: NamedNumbers;
  /** The gradients of all trained parameters. */
  readonly gradients: NamedNumbers;
  /** Gradients of the parameters whose names match a pattern. */
  readonly [some: `gradients:${string}`]: NamedNumbers;
  /** State of the optimizers: `"fc1.weight/first"`. */
  readonly optimizerState: NamedNumbers;
  /** Optimizer state whose names match a pattern. */
  readonly [some: `optimizerState:${string}`]: NamedNumbers;
  /** Tensors of the model in this batch, by a pattern of their names. They are computed only if a hook that reads them is due. */
  readonly [some: `activations:${string}`]: ReadonlyMap<
    string,
    Activation & { readonly data: ReadonlyNumbers }
  >;
  /** Statistics of the tensors that hooks read. */
  readonly [some: `statistics:${string}`]: ReadonlyMap<string, ActivationStatistics>;
}

/** Fields for a hook that replaces an optimizer's step. */
export interface UpdateContext {
  /** The parameters of this optimizer, to be changed in place. */
  readonly parameters: NamedNumbers;
}

/** Context type for hook classes. `R` and `W` are the declared reads and writes; without `R` each field may be undefined. */
export type TrainingContext<
  R extends keyof TrainingFields = never,
  W extends keyof TrainingFields = never,
> = ClassContext<TrainingBase, TrainingFields, R, W>;
