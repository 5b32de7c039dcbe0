/**
 * The stages of training. Their contexts are in `stage_contexts.ts`.
 *
 * @module
 */

import type { Activation } from "./context.ts";
import type {
  BatchContext,
  BatchEndContext,
  BeginContext,
  CheckpointContext,
  ComputedLoss,
  ComputeLossContext,
  EndContext,
  ExceptionContext,
  GradientContext,
  LossContext,
  MetricsContext,
  NamedNumbers,
  NormContext,
  OptimizerContext,
  StepContext,
  TrainerFields,
  TrainingBase,
  TrainingFields,
  UpdateContext,
} from "./stage_contexts.ts";
import {
  defineKind,
  type Gate,
  type Observe,
  type Pipe,
  type Replace,
  type StageKind,
  type StageOf,
} from "../hooks/protocol/stage.ts";

export type * from "./stage_contexts.ts";

/** Each training stage, in the order of a run. */
export interface TrainingStageMap {
  /** Training begins. */
  readonly TRAIN_BEGIN: Observe<BeginContext>;
  /** An epoch begins. */
  readonly EPOCH_BEGIN: Observe<TrainingBase>;
  /** A batch begins. */
  readonly BATCH_BEGIN: Observe<BatchContext>;
  /** Before the forward pass. */
  readonly BEFORE_FORWARD: Observe<BatchContext>;
  /** Pipes the tensors of the forward pass that are named in the hook's `points`. */
  readonly ACTIVATIONS: Pipe<BatchContext, ReadonlyMap<string, Activation>>;
  /** After the forward pass, before the loss. */
  readonly AFTER_FORWARD: Observe<BatchContext>;
  /** Replaces the loss of the trainer by a custom one. */
  readonly COMPUTE_LOSS: Replace<ComputeLossContext, ComputedLoss>;
  /** Pipes the loss. The gradients are multiplied by the ratio of the returned loss to the original one. */
  readonly LOSS: Pipe<BatchContext, number>;
  /** After the loss. */
  readonly AFTER_LOSS: Observe<LossContext>;
  /** Before the backward pass. */
  readonly BEFORE_BACKWARD: Observe<LossContext>;
  /** After the backward pass. */
  readonly AFTER_BACKWARD: Observe<GradientContext>;
  /** Pipes the gradients of a step before the update. Parameters that the returned map lacks are not updated. */
  readonly GRADIENTS: Pipe<LossContext, NamedNumbers>;
  /** After gradient clipping. */
  readonly GRADIENT_CLIP: Observe<NormContext>;
  /** Decides whether the parameters are updated. */
  readonly MAY_UPDATE: Gate<NormContext>;
  /** Before an optimizer's step. */
  readonly BEFORE_OPTIMIZER_STEP: Observe<OptimizerContext>;
  /** Replaces an optimizer's step. */
  readonly OPTIMIZER_STEP: Replace<OptimizerContext & UpdateContext, void>;
  /** After an optimizer's step. */
  readonly AFTER_OPTIMIZER_STEP: Observe<OptimizerContext>;
  /** After all optimizers have stepped. */
  readonly STEP_END: Observe<StepContext>;
  /** A batch ends. */
  readonly BATCH_END: Observe<BatchEndContext>;
  /** Validation begins. */
  readonly VALIDATION_BEGIN: Observe<TrainingBase>;
  /** A validation batch begins. */
  readonly VALIDATION_BATCH_BEGIN: Observe<BatchContext>;
  /** A validation batch ends. */
  readonly VALIDATION_BATCH_END: Observe<BatchEndContext>;
  /** Validation ends. */
  readonly VALIDATION_END: Observe<MetricsContext>;
  /** After VALIDATION_END: the metrics are also available as `"eval/loss"` and so on. */
  readonly EVAL_END: Observe<MetricsContext>;
  /** An epoch ends. */
  readonly EPOCH_END: Observe<MetricsContext>;
  /** A checkpoint is on disk. */
  readonly CHECKPOINT_SAVE: Observe<CheckpointContext>;
  /** A checkpoint was loaded. */
  readonly CHECKPOINT_LOAD: Observe<CheckpointContext>;
  /** A step has thrown. */
  readonly EXCEPTION: Observe<ExceptionContext>;
  /** Training ends. Fires for every outcome. */
  readonly TRAIN_END: Observe<EndContext>;
}

/** Aliases of lifecycle methods, which other training libraries use. A `Start` instead of `Begin` needs no alias. */
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
export const TrainingStage: StageKind<
  "training",
  TrainingStageMap,
  TrainingFields,
  TrainingAliases,
  TrainerFields
> = /* @__PURE__ */ defineKind(
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
    contexts: /* @__PURE__ */ contextFields(),
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

/** Returns the fields of each stage. A function, so that a bundler may leave it out. */
function contextFields(): Record<string, readonly string[]> {
  const batch = ["batch", "batchIdx", "loaderIdx", "loaderName"], metrics = ["metrics", "outcome"];
  const loss = [...batch, "loss"], norm = [...loss, "gradients", "gradNorm"];
  const optimizer = [...norm, "optimizerIdx"], batchEnd = [...loss, "metrics", "outcome"];
  return {
    "*": ["epoch", "phase", "state", "trainer", "optimizers", "lrSchedulers"],
    TRAIN_BEGIN: ["config", "run"],
    BATCH_BEGIN: batch,
    BEFORE_FORWARD: batch,
    ACTIVATIONS: batch,
    AFTER_FORWARD: batch,
    COMPUTE_LOSS: [...batch, "outputs"],
    LOSS: batch,
    AFTER_LOSS: loss,
    BEFORE_BACKWARD: loss,
    AFTER_BACKWARD: [...loss, "gradients"],
    GRADIENTS: loss,
    GRADIENT_CLIP: norm,
    MAY_UPDATE: norm,
    BEFORE_OPTIMIZER_STEP: optimizer,
    OPTIMIZER_STEP: [...optimizer, "parameters"],
    AFTER_OPTIMIZER_STEP: optimizer,
    STEP_END: [...loss, "gradNorm", "lr", "samplesSeen", "tokensSeen", "skipped"],
    BATCH_END: batchEnd,
    VALIDATION_BATCH_BEGIN: batch,
    VALIDATION_BATCH_END: batchEnd,
    VALIDATION_END: metrics,
    EVAL_END: metrics,
    EPOCH_END: metrics,
    CHECKPOINT_SAVE: ["path"],
    CHECKPOINT_LOAD: ["path"],
    EXCEPTION: ["error"],
    TRAIN_END: ["outcome"],
  };
}
