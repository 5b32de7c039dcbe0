/**
 * The contexts of training hooks: the fields that a hook receives at each stage, and those that it may declare to
 * read.
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
  /** Number of finished epochs, which is the index of the current epoch. */
  readonly epoch: number;
  /** Phase of the run in which the stage fires. */
  readonly phase: TrainingPhase;
  /** The live state of the run. */
  readonly state: TrainerState;
  /** The trainer that runs the hook. */
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
  /** The configuration of the run; the same as `trainer.config`. */
  readonly config: unknown;
  /** Facts that identify the run; `undefined` if the trainer's option `runInfo` is false. */
  readonly run: RunInfo | undefined;
}

/** Fields at the end of training. */
export interface EndContext extends TrainingBase {
  /** Outcome of the run. */
  readonly outcome: Outcome;
}

/** Fields of a batch. */
export interface BatchContext extends TrainingBase {
  /** The batch: its tensors, and its number of samples. */
  readonly batch: TrainingBatch;
  /** Index of the batch in the current epoch or validation, from 0. */
  readonly batchIdx: number;
  /** Index of the data source of the batch, from 0. */
  readonly loaderIdx: number;
  /** Name of the data source of the batch. */
  readonly loaderName: string;
}

/** Fields from AFTER_LOSS to the end of a batch. */
export interface LossContext extends BatchContext {
  /** The loss of this batch. */
  readonly loss: number;
}

/** Fields at the end of a batch. */
export interface BatchEndContext extends LossContext {
  /**
   * The loss, its terms, and the metrics of this phase, by name. `loss` is NaN if the batch failed before its loss
   * was known.
   */
  readonly metrics: Readonly<Record<string, number>>;
  /** Outcome of the batch. */
  readonly outcome: Outcome;
}

/** Fields from AFTER_BACKWARD to the optimizer step. */
export interface GradientContext extends LossContext {
  /** Gradient of each parameter, by name. On a GPU a hook must declare that it reads them: `reads: ["gradients"]`. */
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
  /** Current learning rate of the first group of the first optimizer. */
  readonly lr: number;
  /** Number of samples seen so far, including this step. */
  readonly samplesSeen: number;
  /** Number of tokens seen so far, including this step; 0 if batches do not report their `tokens`. */
  readonly tokensSeen: number;
  /** True if a gate vetoed the update, so that no parameter has changed. */
  readonly skipped: boolean;
}

/** Fields for a hook that computes a custom loss. */
export interface ComputeLossContext extends BatchContext {
  /** Outputs of the model, by name. */
  readonly outputs: ReadonlyMap<string, Activation>;
}

/** Result of a hook that computes a custom loss. */
export interface ComputedLoss {
  /** The loss of the batch. */
  readonly loss: number;
  /**
   * Derivatives of the loss with respect to the elements of each output, by the output's name. Outputs that are left
   * out count as 0.
   */
  readonly slopes: ReadonlyMap<string, ArrayLike<number>>;
}

/** Fields at the end of an epoch, and of validation. */
export interface MetricsContext extends TrainingBase {
  /** Value of each metric, by name: `"train/loss"` and so on, and `"val/loss"` and so on if there was a validation. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Outcome of the epoch, or of the validation. */
  readonly outcome: Outcome;
}

/** Fields after a checkpoint was written or read. */
export interface CheckpointContext extends TrainingBase {
  /** Path of the checkpoint file. */
  readonly path: string;
}

/** Fields after a step has thrown. */
export interface ExceptionContext extends TrainingBase {
  /** The error that was thrown. */
  readonly error: unknown;
}

/** Numbers of each parameter, by name. */
export type NamedNumbers = ReadonlyMap<string, Float32Array>;

/**
 * Fields that a training hook can declare to read. It can also declare to write `optimizers`, `parameters` and
 * `gradients`. A pattern after a colon selects some of the parameters: `"gradients:encoder*"`.
 */
export interface TrainingFields {
  /** The loss of the last batch. */
  readonly loss: number;
  /** Norm of all gradients together, before clipping. */
  readonly gradNorm: number;
  /** Current learning rate of the first group of the first optimizer. */
  readonly lr: number;
  /** The optimizers. A hook that declares to write them may change `lr`, `weightDecay` and `momentum` of each group. */
  readonly optimizers: readonly OptimizerSettings[];
  /** All trained parameters, by name. */
  readonly parameters: NamedNumbers;
  /** Parameters whose names match a pattern. */
  readonly [some: `parameters:${string}`]: NamedNumbers;
  /** The gradients of all trained parameters, by the parameter's name. */
  readonly gradients: NamedNumbers;
  /** Gradients of the parameters whose names match a pattern. */
  readonly [some: `gradients:${string}`]: NamedNumbers;
  /** State of the optimizers, by parameter and role: `"fc1.weight/first"`. */
  readonly optimizerState: NamedNumbers;
  /** Optimizer state whose names match a pattern. */
  readonly [some: `optimizerState:${string}`]: NamedNumbers;
  /**
   * Tensors of the model in this batch whose names match a pattern. They are computed only in batches in which a hook
   * that reads them is due.
   */
  readonly [some: `activations:${string}`]: ReadonlyMap<
    string,
    Activation & { readonly data: ReadonlyNumbers }
  >;
  /** Statistics of the tensors of the model whose names match a pattern. */
  readonly [some: `statistics:${string}`]: ReadonlyMap<string, ActivationStatistics>;
}

/** Fields for a hook that replaces an optimizer's step. */
export interface UpdateContext {
  /** The parameters that this optimizer updates. The hook changes them in place. */
  readonly parameters: NamedNumbers;
}

/**
 * Context type of hook classes. `R` and `W` are the fields that the class declares to read and write. Without `R`
 * each field may be undefined.
 */
export type TrainingContext<
  R extends keyof TrainingFields = never,
  W extends keyof TrainingFields = never,
> = ClassContext<TrainingBase, TrainingFields, R, W>;
