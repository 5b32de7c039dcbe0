/**
 * The stages of training, and what hooks get at each.
 *
 * @module
 */

import type { BaseContext, ClassContext } from "../hooks/context.ts";
import {
  type Gate,
  type Observe,
  type Pipe,
  type Replace,
  type StageOf,
  type Stages,
  stagesOf,
} from "../hooks/stage.ts";

/** Fields at every training stage. */
export interface TrainingBase extends BaseContext {
  /** Epochs done before this one. */
  readonly epoch: number;
}

/** Fields from AFTER_LOSS to the end of a batch. */
export interface LossContext extends TrainingBase {
  /** The loss of this batch. */
  readonly loss: number;
}

/** Fields from AFTER_BACKWARD to the optimizer step. */
export interface GradientContext extends LossContext {
  /** Parameter name → gradient. */
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

/** Fields at validation's end. */
export interface MetricsContext extends TrainingBase {
  /** Metric → value, `"val/loss"` among them. */
  readonly metrics: Readonly<Record<string, number>>;
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

/** What a training hook can read. */
export interface TrainingFields {
  /** Norm of all gradients together. */
  readonly gradNorm: number;
  /** Learning rate of the first group. */
  readonly lr: number;
}

/** Each training stage, in the order of a run. */
export interface TrainingStages {
  /** Training begins. */
  readonly TRAIN_BEGIN: Observe<TrainingBase>;
  /** An epoch begins. */
  readonly EPOCH_BEGIN: Observe<TrainingBase>;
  /** A batch begins. */
  readonly BATCH_BEGIN: Observe<TrainingBase>;
  /** Before the forward pass. */
  readonly BEFORE_FORWARD: Observe<TrainingBase>;
  /** After it, before the loss. */
  readonly AFTER_FORWARD: Observe<TrainingBase>;
  /** The loss, to be changed. */
  readonly LOSS: Pipe<TrainingBase, number>;
  /** After the loss. */
  readonly AFTER_LOSS: Observe<LossContext>;
  /** Before the backward pass. */
  readonly BEFORE_BACKWARD: Observe<LossContext>;
  /** After it. */
  readonly AFTER_BACKWARD: Observe<GradientContext>;
  /** The gradients, to be changed before they are used. */
  readonly GRADIENTS: Pipe<LossContext, ReadonlyMap<string, Float32Array>>;
  /** Gradients were clipped. */
  readonly GRADIENT_CLIP: Observe<GradientContext>;
  /** Whether to update at all. */
  readonly MAY_UPDATE: Gate<GradientContext>;
  /** Before an optimizer's step. */
  readonly BEFORE_OPTIMIZER_STEP: Observe<GradientContext>;
  /** The optimizer's step itself. */
  readonly OPTIMIZER_STEP: Replace<GradientContext, void>;
  /** After an optimizer's step. */
  readonly AFTER_OPTIMIZER_STEP: Observe<LossContext>;
  /** All optimizers have stepped. */
  readonly STEP_END: Observe<LossContext>;
  /** A batch ends. */
  readonly BATCH_END: Observe<LossContext>;
  /** Validation begins. */
  readonly VALIDATION_BEGIN: Observe<TrainingBase>;
  /** Validation ends. */
  readonly VALIDATION_END: Observe<MetricsContext>;
  /** An epoch ends. */
  readonly EPOCH_END: Observe<TrainingBase>;
  /** A checkpoint is on disk. */
  readonly CHECKPOINT_SAVE: Observe<CheckpointContext>;
  /** A checkpoint was loaded. */
  readonly CHECKPOINT_LOAD: Observe<CheckpointContext>;
  /** A step threw. */
  readonly EXCEPTION: Observe<ExceptionContext>;
  /** Training ends, however it ends. */
  readonly TRAIN_END: Observe<TrainingBase>;
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
  /** The same as `onBatchEnd`. */
  readonly onTrainBatchEnd: "BATCH_END";
}

/** The training kind: `TrainingStage.AFTER_LOSS` is `"training/AFTER_LOSS"`. */
export const TrainingStage: Stages<"training", TrainingStages, TrainingFields, TrainingAliases> =
  stagesOf(
    "training",
    {
      TRAIN_BEGIN: "observe",
      EPOCH_BEGIN: "observe",
      BATCH_BEGIN: "observe",
      BEFORE_FORWARD: "observe",
      AFTER_FORWARD: "observe",
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
      VALIDATION_END: "observe",
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
        VALIDATION_BEGIN: "epoch",
        VALIDATION_END: "epoch",
        BATCH_BEGIN: "batch",
        BEFORE_FORWARD: "batch",
        AFTER_FORWARD: "batch",
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
        onTrainBatchEnd: "BATCH_END",
      },
    },
  );

/** Any training stage. */
export type TrainingStage = StageOf<typeof TrainingStage>;
