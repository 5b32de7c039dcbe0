/**
 * The objects that the pieces of a training step share.
 *
 * @module
 */

import type { Loop } from "../../hooks/loop/loop.ts";
import type { NamedBatch, NamedData } from "../data/named_data.ts";
import type { GradientTarget } from "../graph/runner.ts";
import type { Measured } from "../graph/training_graph.ts";
import type { OpenedModel } from "../model/opened_model.ts";
import type { AssignedOptimizer } from "../optimizers/assigned.ts";
import type { ObservedTensors } from "../state/observed_tensors.ts";
import type { TrainingKind } from "../trainer_options.ts";
import type { Progress } from "./progress.ts";

/** The context of hooks, as the trainer fills it. */
export type FilledContext = Loop<TrainingKind>["context"];

/** Everything that steps need once the model is open. */
export interface StepHost {
  /** The loop whose hooks the steps call. */
  readonly loop: Loop<TrainingKind>;
  /** The one context of its hooks. */
  readonly context: FilledContext;
  /** The model on its device. */
  readonly model: OpenedModel;
  /** The optimizers, with their groups and schedules. */
  readonly optimizers: readonly AssignedOptimizer[];
  /** The index of the optimizer of each parameter. */
  readonly owners: readonly number[];
  /** Counts, loss and metrics of the run. */
  readonly progress: Progress;
  /** Tensors of the model that hooks observe. */
  readonly observed: ObservedTensors;
  /** The training data, if there is any. */
  readonly data: NamedData | undefined;
}

/** One batch of a step. */
export interface BatchWork {
  /** The batch and its data loader. */
  readonly part: NamedBatch;
  /** Number of the step. */
  readonly step: number;
  /** Steps begun before it, vetoed and failed ones too. */
  readonly begun: number;
  /** The terms of the loss and the metrics. */
  readonly measured: Measured;
  /** The weight of each term in this step. */
  readonly weights: readonly number[];
  /** The count that each mean of this batch is taken over. */
  readonly counts: readonly number[];
  /** The factor of the gradients of each term, such that all batches of the step count as one. */
  readonly share: Float64Array;
  /** The fraction of the step's samples that are in this batch. */
  readonly ofSamples: number;
  /** The array that gets the gradients: the first batch of a step overwrites, later ones are added. */
  readonly into: GradientTarget;
  /** True if it is the last batch of the step. */
  readonly isLast: boolean;
  /** True if the caller passed it to `trainer.step`, so that it belongs to no epoch. */
  readonly isByHand: boolean;
}
