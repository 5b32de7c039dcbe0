/**
 * The interface of losses. A loss is a sum of weighted means that are computed in the graph of the model.
 *
 * @module
 */

import type { ElementType } from "../../onnx/codec/element_type.ts";
import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import type { Shape } from "../../onnx/codec/value_info.ts";
import type { TrainingBatch } from "../data/data_source.ts";

/** Builder by which losses and metrics add their operators to the graph of the model. */
export interface LossBuilder {
  /** Builder of the graph of the model. */
  readonly graph: GraphBuilder;
  /**
   * Returns an output of the model.
   *
   * @param name the name of an output, or of any value of the graph; by default the only float32 output
   * @throws {RangeError} if no value has that name, or if there are several outputs and no name is given
   * @throws {TypeError} if the value is not float32
   */
  output(name?: string): Value<"f32">;
  /**
   * Returns a tensor of the batch, as an input of the graph. The input is added if it does not exist.
   *
   * @param like a value of the same shape, or the shape itself, with names for free dimensions
   * @throws {TypeError} if the graph has an input of that name with another type
   */
  target<Type extends ElementType>(
    name: string,
    type: Type,
    like: Value | Shape,
  ): Value<Type>;
}

/** A term of a loss: a mean and its weight. */
export interface LossTerm {
  /** Name in metrics: `"energy"` is reported as `"loss/energy"`. The only term of a loss has no name. */
  readonly name?: string;
  /** The mean in the graph, a single number. It is taken over the elements that `count` counts. */
  readonly mean: Value<"f32">;
  /**
   * Weight of the term, or a function of the step.
   *
   * @default 1
   */
  readonly weight?: number | ((step: number) => number);
  /**
   * Returns the number of elements over which the mean of a batch is taken. With it, the means of several batches are
   * combined as the mean of one.
   *
   * @default the number of samples in the batch
   */
  count?(batch: TrainingBatch): number;
}

/** A loss to minimize. */
export interface Loss {
  /** Name of the loss. */
  readonly name: string;
  /** Adds outputs that the model lacks, and returns the model with them. */
  prepare?(model: ModelProto): ModelProto;
  /** Adds the terms to the graph. The loss is Σ weight · mean over the terms. */
  terms(builder: LossBuilder): readonly LossTerm[];
}

/** A loss in an option: a `Loss`, or a function that adds a single number to the graph and returns it. */
export type LossLike = Loss | ((builder: LossBuilder) => Value<"f32">);

/** Converts a loss in an option to a `Loss`. */
export function lossOf(given: LossLike): Loss {
  if (typeof given !== "function") return given;
  return { name: given.name || "loss", terms: (builder) => [{ mean: given(builder) }] };
}

/** Adds nodes that compute the mean over all elements of a value, and returns the mean, a scalar. */
export function meanOf(graph: GraphBuilder, value: Value<"f32">): Value<"f32"> {
  return graph.op("ReduceMean", [value], "f32", { keepdims: 0 });
}

/** Returns a function that counts the elements of a target in a batch. */
export function numbersOf(target: string): (batch: TrainingBatch) => number {
  return ({ feeds }) => feeds[target]?.data.length ?? 0;
}
