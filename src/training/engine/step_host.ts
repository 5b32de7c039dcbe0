/**
 * Types of the objects that all parts of a training step share.
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

/** The context of hooks, whose fields the trainer fills in. */
export type FilledContext = Loop<TrainingKind>["context"];

/** The objects that a step uses. They exist once the model is open. */
export interface StepHost {
  /** The loop whose hooks the steps call. */
  readonly loop: Loop<TrainingKind>;
  /** The context that all hooks of the loop share. */
  readonly context: FilledContext;
  /** The model on its device. */
  readonly model: OpenedModel;
  /** The optimizers, with their groups and schedules. */
  readonly optimizers: readonly AssignedOptimizer[];
  /** The index of the optimizer of each parameter, by the index of the parameter. */
  readonly owners: readonly number[];
  /** Counts, loss and metrics of the run. */
  readonly progress: Progress;
  /** Tensors of the model that hooks observe. */
  readonly observed: ObservedTensors;
  /** The training data; undefined if the trainer has no data. */
  readonly data: NamedData | undefined;
}

/** The work for one batch of a step. */
export interface BatchWork {
  /** The batch, with the name and index of its data source. */
  readonly part: NamedBatch;
  /** Index of the step, from 0. */
  readonly step: number;
  /** Number of steps begun up to this one, including vetoed and failed ones. */
  readonly begun: number;
  /** The terms of the loss and the metrics that the graph measures. */
  readonly measured: Measured;
  /** Weights of the terms of the loss in this step, one per term. */
  readonly weights: readonly number[];
  /** Number of elements over which each mean of this batch is taken. */
  readonly counts: readonly number[];
  /**
   * Factors of the gradients, one per term. With them, the gradients of all batches of the step add up to those of
   * one batch.
   */
  readonly share: Float64Array;
  /** The fraction of the step's samples that are in this batch. */
  readonly ofSamples: number;
  /**
   * The array that receives the gradients: `"gradients"` for the first batch of a step; `"more"` for later batches,
   * which are added to it.
   */
  readonly into: GradientTarget;
  /** True if it is the last batch of the step. */
  readonly isLast: boolean;
  /** True if the caller passed the batch to `trainer.step`. Such a batch belongs to no epoch. */
  readonly isByHand: boolean;
}
