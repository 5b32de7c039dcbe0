/**
 * Context fields of training stages, in objects whose keys the compiler compares with the types.
 *
 * @module
 */

import type { BaseContext } from "../../mod.ts";
import type {
  TrainerFields,
  TrainerState,
  TrainingBase,
  TrainingStageMap,
} from "../../src/training/mod.ts";

/** Stage → the context fields that not every context of its kind has. */
export type ContextFields<M extends { [N in keyof M]: { readonly ctx: unknown } }, Base> = {
  [N in keyof M]: Record<Exclude<keyof M[N]["ctx"], keyof Base>, 0>;
};

/** Fields that a custom loop may omit. */
export const OF_TRAINER: Record<TrainerFields, 0> = {
  phase: 0,
  state: 0,
  trainer: 0,
  optimizers: 0,
  lrSchedulers: 0,
};

/** Fields of every training stage. */
export const AT_EVERY_STAGE: Record<Exclude<keyof TrainingBase, keyof BaseContext>, 0> = {
  epoch: 0,
  ...OF_TRAINER,
};

/** State of a run. */
export const STATE: Record<keyof TrainerState, 0> = {
  model: 0,
  optimizer: 0,
  device: 0,
  currentEpoch: 0,
  currentBatchIdx: 0,
  latestLoss: 0,
  avgLoss: 0,
  modelParams: 0,
  status: 0,
  step: 0,
  samplesSeen: 0,
  tokensSeen: 0,
  metrics: 0,
};

const NONE = {} as const;
/** Fields of a batch. */
export const BATCH: Record<"batch" | "batchIdx" | "loaderIdx" | "loaderName", 0> = {
  batch: 0,
  batchIdx: 0,
  loaderIdx: 0,
  loaderName: 0,
};
const LOSS = { ...BATCH, loss: 0 } as const;
const GRADIENTS = { ...LOSS, gradients: 0 } as const;
const NORM = { ...GRADIENTS, gradNorm: 0 } as const;
const OPTIMIZER = { ...NORM, optimizerIdx: 0 } as const;
const BATCH_END = { ...LOSS, metrics: 0, outcome: 0 } as const;
const METRICS = { metrics: 0, outcome: 0 } as const;
const STEP = { ...LOSS, gradNorm: 0, lr: 0, samplesSeen: 0, tokensSeen: 0, skipped: 0 } as const;
/** Stage → its context fields. */
export const TRAINING_CONTEXT: ContextFields<TrainingStageMap, TrainingBase> = {
  TRAIN_BEGIN: { config: 0, run: 0 },
  EPOCH_BEGIN: NONE,
  BATCH_BEGIN: BATCH,
  BEFORE_FORWARD: BATCH,
  ACTIVATIONS: { ...BATCH, value: 0 },
  AFTER_FORWARD: BATCH,
  COMPUTE_LOSS: { ...BATCH, outputs: 0 },
  LOSS: { ...BATCH, value: 0 },
  AFTER_LOSS: LOSS,
  BEFORE_BACKWARD: LOSS,
  AFTER_BACKWARD: GRADIENTS,
  GRADIENTS: { ...LOSS, value: 0 },
  GRADIENT_CLIP: NORM,
  MAY_UPDATE: { ...NORM, skipping: 0 },
  BEFORE_OPTIMIZER_STEP: OPTIMIZER,
  OPTIMIZER_STEP: { ...OPTIMIZER, parameters: 0 },
  AFTER_OPTIMIZER_STEP: OPTIMIZER,
  STEP_END: STEP,
  BATCH_END,
  VALIDATION_BEGIN: NONE,
  VALIDATION_BATCH_BEGIN: BATCH,
  VALIDATION_BATCH_END: BATCH_END,
  VALIDATION_END: METRICS,
  EVAL_END: METRICS,
  EPOCH_END: METRICS,
  CHECKPOINT_SAVE: { path: 0 },
  CHECKPOINT_LOAD: { path: 0 },
  EXCEPTION: { error: 0 },
  TRAIN_END: { outcome: 0 },
};
