/**
 * The interface of losses: weighted means that are written into the graph of the model.
 *
 * @module
 */

import type { ElementType } from "../../onnx/codec/element_type.ts";
import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import type { Shape } from "../../onnx/codec/value_info.ts";
import type { TrainingBatch } from "../data/data_source.ts";

/** Builder with which losses and metrics are written. */
export interface LossBuilder {
  /** Writes operators into the graph of the model. */
  readonly graph: GraphBuilder;
  /**
   * Returns an output of the model.
   *
   * @param name the name of an output, or of any value of the graph; by default the only output
   * @throws {RangeError} if there is none of that name, or if there are several outputs and no name is given
   * @throws {TypeError} if it is not of float32
   */
  output(name?: string): Value<"f32">;
  /**
   * Returns a tensor of the batch: an input of the graph, which is added if it does not exist.
   *
   * @param like a value of the same shape, or the lengths; names for free ones
   * @throws {TypeError} if there is an input of that name with another type
   */
  target<Type extends ElementType>(
    name: string,
    type: Type,
    like: Value | Shape,
  ): Value<Type>;
}

/** A term of a loss: a mean and its weight. */
export interface LossTerm {
  /** Name in metrics: `"loss/energy"` for `"energy"`. The only term of a loss has no name. */
  readonly name?: string;
  /** A single number: the mean over the numbers that `count` counts. */
  readonly mean: Value<"f32">;
  /**
   * Weight, or a function of the step.
   *
   * @default 1
   */
  readonly weight?: number | ((step: number) => number);
  /**
   * Returns the count that the mean of a batch is taken over, so that several batches can count as one.
   *
   * @default the samples of the batch
   */
  count?(batch: TrainingBatch): number;
}

/** A loss to minimize. */
export interface Loss {
  /** Name. */
  readonly name: string;
  /** Adds outputs that the model lacks. Returns the model with them. */
  prepare?(model: ModelProto): ModelProto;
  /** Writes the term into the graph; the loss is the sum of weight · mean over its terms. */
  terms(builder: LossBuilder): readonly LossTerm[];
}

/** A loss as an option: a `Loss`, or a function that writes a single number. */
export type LossLike = Loss | ((builder: LossBuilder) => Value<"f32">);

/** Converts a loss to its one form. */
export function lossOf(given: LossLike): Loss {
  if (typeof given !== "function") return given;
  return { name: given.name || "loss", terms: (builder) => [{ mean: given(builder) }] };
}

/** Writes the mean over all elements. */
export function meanOf(graph: GraphBuilder, value: Value<"f32">): Value<"f32"> {
  return graph.op("ReduceMean", [value], "f32", { keepdims: 0 });
}

/** Counts the numbers of a target. */
export function numbersOf(target: string): (batch: TrainingBatch) => number {
  return ({ feeds }) => feeds[target]?.data.length ?? 0;
}
