/**
 * The stages of training, and what hooks get at each.
 *
 * @module
 */

import type { BaseContext, ClassContext, ReadonlyNumbers } from "../hooks/protocol/context.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type {
  Activation,
  ActivationStatistics,
  OptimizerSettings,
  OptimizerView,
  ScheduleView,
  TrainerControl,
  TrainerState,
  TrainingBatch,
  TrainingPhase,
} from "./context.ts";
import {
  type Gate,
  type Observe,
  type Pipe,
  type Replace,
  type StageOf,
  type Stages,
  stagesOf,
} from "../hooks/protocol/stage.ts";

/** Fields at every training stage. */
export interface TrainingBase extends BaseContext {
  /** Epochs done before this one. */
  readonly epoch: number;
  /** Whether this is of training, or of validation. */
  readonly phase: TrainingPhase;
  /** What is known of the run. */
  readonly state: TrainerState;
  /** The trainer. */
  readonly trainer: TrainerControl;
  /** The optimizers, to be looked at; to change one declare `writes: ["optimizers"]`. */
  readonly optimizers: readonly OptimizerView[];
  /** What the learning rates of each optimizer follow. */
  readonly lrSchedulers: readonly ScheduleView[];
}

/** The fields that a {@linkcode TrainingBase} has of a trainer: a loop of one's own may leave them out. */
export type TrainerFields = "phase" | "state" | "trainer" | "optimizers" | "lrSchedulers";

/** How something that began has ended. */
export interface EndContext extends TrainingBase {
  /** Whether all of it was done. */
  readonly outcome: Outcome;
}

/** Fields of a batch. */
export interface BatchContext extends TrainingBase {
  /** Its tensors. */
  readonly batch: TrainingBatch;
  /** Batches of this epoch, or of this validation, before it. */
  readonly batchIdx: number;
  /** Which of the loaders it is from. */
  readonly loaderIdx: number;
  /** What that is called. */
  readonly loaderName: string;
}

/** Fields from AFTER_LOSS to the end of a batch. */
export interface LossContext extends BatchContext {
  /** The loss of this batch. */
  readonly loss: number;
}

/** Fields at the end of a batch. */
export interface BatchEndContext extends LossContext {
  /** `loss`, its terms, and what metrics are measured in this phase. `loss` is NaN where the batch failed before it. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Whether all of it was done. */
  readonly outcome: Outcome;
}

/** Fields from AFTER_BACKWARD to the optimizer step. */
export interface GradientContext extends LossContext {
  /** Parameter name → gradient. On a GPU they must be declared: `reads: ["gradients"]`. */
  readonly gradients: ReadonlyMap<string, ReadonlyNumbers>;
}

/** Fields when gradients were clipped, and when a step may be taken. */
export interface NormContext extends GradientContext {
  /** Norm of all gradients together, before they were clipped. */
  readonly gradNorm: number;
}

/** Fields around an optimizer's step. */
export interface OptimizerContext extends NormContext {
  /** Which of the optimizers, from 0. */
  readonly optimizerIdx: number;
}

/** Fields when a step is done. */
export interface StepContext extends LossContext {
  /** Norm of all gradients together, before they were clipped. */
  readonly gradNorm: number;
  /** Learning rate of the first group. */
  readonly lr: number;
  /** Samples seen so far, this step's included. */
  readonly samplesSeen: number;
  /** Tokens seen so far, where batches say how many they have. */
  readonly tokensSeen: number;
  /** Whether a gate vetoed it: then no parameter has changed. */
  readonly skipped: boolean;
}

/** What a loss of one's own gets. */
export interface ComputeLossContext extends BatchContext {
  /** Output of the model → its numbers. */
  readonly outputs: ReadonlyMap<string, Activation>;
}

/** What a loss of one's own answers with. */
export interface ComputedLoss {
  /** The loss. */
  readonly loss: number;
  /** Output of the model → the slope of the loss by each of its numbers; 0 for those left out. */
  readonly slopes: ReadonlyMap<string, ArrayLike<number>>;
}

/** Fields at the end of an epoch, and of validation. */
export interface MetricsContext extends TrainingBase {
  /** Metric → value: `"train/loss"`, and `"val/loss"` where there was a validation, among them. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Whether all of it was done. */
  readonly outcome: Outcome;
}

/** Fields when a checkpoint was written or read. */
export interface CheckpointContext extends TrainingBase {
  /** Where. */
  readonly path: string;
}

/** Fields when a step threw. */
export interface ExceptionContext extends TrainingBase {
  /** What it threw. */
  readonly error: unknown;
}

/** Parameter name → numbers. */
export type NamedNumbers = ReadonlyMap<string, Float32Array>;

/**
 * What a training hook can read, and what of it can be written: `optimizers`, `parameters`, `gradients`. Behind a colon
 * stands which: `"gradients:encoder*"`.
 */
export interface TrainingFields {
  /** The loss of the last batch. */
  readonly loss: number;
  /** Norm of all gradients together, before they were clipped. */
  readonly gradNorm: number;
  /** Learning rate of the first group. */
  readonly lr: number;
  /** The optimizers; who writes them may change `lr`, `weightDecay` and `momentum` of each group. */
  readonly optimizers: readonly OptimizerSettings[];
  /** All parameters that are trained. */
  readonly parameters: NamedNumbers;
  /** Some parameters, by a pattern of names. */
  readonly [some: `parameters:${string}`]: NamedNumbers;
  /** The gradients of all of them. */
  readonly gradients: NamedNumbers;
  /** Some gradients, by a pattern of parameters' names. */
  readonly [some: `gradients:${string}`]: NamedNumbers;
  /** What the optimizers keep: `"fc1.weight/first"`. */
  readonly optimizerState: NamedNumbers;
  /** Some of that, by a pattern. */
  readonly [some: `optimizerState:${string}`]: NamedNumbers;
  /** Tensors of the model in this batch, by a pattern of their names: computed where a hook that reads them is due. */
  readonly [some: `activations:${string}`]: ReadonlyMap<string, Activation>;
  /** A few numbers about such tensors. */
  readonly [some: `statistics:${string}`]: ReadonlyMap<string, ActivationStatistics>;
}

/** Each training stage, in the order of a run. */
export interface TrainingStages {
  /** Training begins. */
  readonly TRAIN_BEGIN: Observe<TrainingBase>;
  /** An epoch begins. */
  readonly EPOCH_BEGIN: Observe<TrainingBase>;
  /** A batch begins. */
  readonly BATCH_BEGIN: Observe<BatchContext>;
  /** Before the forward pass. */
  readonly BEFORE_FORWARD: Observe<BatchContext>;
  /** Tensors within the forward pass, to be changed: those that the hook's `points` name. */
  readonly ACTIVATIONS: Pipe<BatchContext, ReadonlyMap<string, Activation>>;
  /** After it, before the loss. */
  readonly AFTER_FORWARD: Observe<BatchContext>;
  /** The loss itself, instead of the trainer's. */
  readonly COMPUTE_LOSS: Replace<ComputeLossContext, ComputedLoss>;
  /** The loss, to be weighed: gradients are multiplied by what comes back over what went in. */
  readonly LOSS: Pipe<BatchContext, number>;
  /** After the loss. */
  readonly AFTER_LOSS: Observe<LossContext>;
  /** Before the backward pass. */
  readonly BEFORE_BACKWARD: Observe<LossContext>;
  /** After it. */
  readonly AFTER_BACKWARD: Observe<GradientContext>;
  /** The gradients of a step, to be changed before they are used; a parameter that is left out stays as it is. */
  readonly GRADIENTS: Pipe<LossContext, NamedNumbers>;
  /** Gradients were clipped. */
  readonly GRADIENT_CLIP: Observe<NormContext>;
  /** Whether to update at all. */
  readonly MAY_UPDATE: Gate<NormContext>;
  /** Before an optimizer's step. */
  readonly BEFORE_OPTIMIZER_STEP: Observe<OptimizerContext>;
  /** The optimizer's step itself. */
  readonly OPTIMIZER_STEP: Replace<OptimizerContext & UpdateContext, void>;
  /** After an optimizer's step. */
  readonly AFTER_OPTIMIZER_STEP: Observe<OptimizerContext>;
  /** All optimizers have stepped. */
  readonly STEP_END: Observe<StepContext>;
  /** A batch ends. */
  readonly BATCH_END: Observe<BatchEndContext>;
  /** Validation begins. */
  readonly VALIDATION_BEGIN: Observe<TrainingBase>;
  /** A batch of it begins. */
  readonly VALIDATION_BATCH_BEGIN: Observe<BatchContext>;
  /** A batch of it ends. */
  readonly VALIDATION_BATCH_END: Observe<BatchEndContext>;
  /** Validation ends. */
  readonly VALIDATION_END: Observe<MetricsContext>;
  /** What validation came to is known to all: metrics are called `"eval/loss"`, too. */
  readonly EVAL_END: Observe<MetricsContext>;
  /** An epoch ends. */
  readonly EPOCH_END: Observe<MetricsContext>;
  /** A checkpoint is on disk. */
  readonly CHECKPOINT_SAVE: Observe<CheckpointContext>;
  /** A checkpoint was loaded. */
  readonly CHECKPOINT_LOAD: Observe<CheckpointContext>;
  /** A step threw. */
  readonly EXCEPTION: Observe<ExceptionContext>;
  /** Training ends, however it ends. */
  readonly TRAIN_END: Observe<EndContext>;
}

/** What an optimizer of one's own gets. */
export interface UpdateContext {
  /** The parameters of this optimizer, to be changed in place. */
  readonly parameters: NamedNumbers;
}

/** For hook classes: `R` and `W` are the declared reads and writes; without `R` each field may be undefined. */
export type TrainingContext<
  R extends keyof TrainingFields = never,
  W extends keyof TrainingFields = never,
> = ClassContext<TrainingBase, TrainingFields, R, W>;

/** The names that other systems give to lifecycle methods; `Start` for `Begin` is understood without. */
export interface TrainingAliases {
  /** The same as `onTrainBegin`. */
  readonly onTrainingBegin: "TRAIN_BEGIN";
  /** The same as `onTrainBegin`. */
  readonly onTrainingStart: "TRAIN_BEGIN";
  /** The same as `onTrainEnd`. */
  readonly onTrainingEnd: "TRAIN_END";
  /** The same as `onBatchBegin`. */
  readonly onTrainBatchStart: "BATCH_BEGIN";
  /** The same as `onBatchBegin`. */
  readonly onTrainBatchBegin: "BATCH_BEGIN";
  /** The same as `onBatchEnd`. */
  readonly onTrainBatchEnd: "BATCH_END";
  /** The same as `onValidationBegin`. */
  readonly onEvaluateBegin: "VALIDATION_BEGIN";
  /** The same as `onValidationEnd`. */
  readonly onEvaluateEnd: "VALIDATION_END";
  /** The same as `onCheckpointSave`. */
  readonly onCheckpointSaved: "CHECKPOINT_SAVE";
  /** The same as `onCheckpointLoad`. */
  readonly onCheckpointLoaded: "CHECKPOINT_LOAD";
}

/** The training kind: `TrainingStage.AFTER_LOSS` is `"training/AFTER_LOSS"`. */
export const TrainingStage: Stages<
  "training",
  TrainingStages,
  TrainingFields,
  TrainingAliases,
  TrainerFields
> = stagesOf(
  "training",
  {
    TRAIN_BEGIN: "observe",
    EPOCH_BEGIN: "observe",
    BATCH_BEGIN: "observe",
    BEFORE_FORWARD: "observe",
    ACTIVATIONS: "pipe",
    AFTER_FORWARD: "observe",
    COMPUTE_LOSS: "replace",
    LOSS: "pipe",
    AFTER_LOSS: "observe",
    BEFORE_BACKWARD: "observe",
    AFTER_BACKWARD: "observe",
    GRADIENTS: "pipe",
    GRADIENT_CLIP: "observe",
    MAY_UPDATE: "gate",
    BEFORE_OPTIMIZER_STEP: "observe",
    OPTIMIZER_STEP: "replace",
    AFTER_OPTIMIZER_STEP: "observe",
    STEP_END: "observe",
    BATCH_END: "observe",
    VALIDATION_BEGIN: "observe",
    VALIDATION_BATCH_BEGIN: "observe",
    VALIDATION_BATCH_END: "observe",
    VALIDATION_END: "observe",
    EVAL_END: "observe",
    EPOCH_END: "observe",
    CHECKPOINT_SAVE: "observe",
    CHECKPOINT_LOAD: "observe",
    EXCEPTION: "observe",
    TRAIN_END: "observe",
  },
  {
    counters: {
      EPOCH_BEGIN: "epoch",
      EPOCH_END: "epoch",
      VALIDATION_BEGIN: "validation",
      VALIDATION_END: "validation",
      EVAL_END: "validation",
      VALIDATION_BATCH_BEGIN: "validationBatch",
      VALIDATION_BATCH_END: "validationBatch",
      BATCH_BEGIN: "batch",
      BEFORE_FORWARD: "forward",
      ACTIVATIONS: "forward",
      AFTER_FORWARD: "forward",
      COMPUTE_LOSS: "batch",
      LOSS: "batch",
      AFTER_LOSS: "batch",
      BEFORE_BACKWARD: "batch",
      AFTER_BACKWARD: "batch",
      BATCH_END: "batch",
    },
    events: ["TRAIN_BEGIN", "TRAIN_END", "CHECKPOINT_SAVE", "CHECKPOINT_LOAD", "EXCEPTION"],
    aliases: {
      onTrainingStart: "TRAIN_BEGIN",
      onTrainingBegin: "TRAIN_BEGIN",
      onTrainingEnd: "TRAIN_END",
      onTrainBatchStart: "BATCH_BEGIN",
      onTrainBatchBegin: "BATCH_BEGIN",
      onTrainBatchEnd: "BATCH_END",
      onEvaluateBegin: "VALIDATION_BEGIN",
      onEvaluateEnd: "VALIDATION_END",
      onCheckpointSaved: "CHECKPOINT_SAVE",
      onCheckpointLoaded: "CHECKPOINT_LOAD",
    },
  },
);

/** Any training stage. */
export type TrainingStage = StageOf<typeof TrainingStage>;
