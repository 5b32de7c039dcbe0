/**
 * What a loss is: mean values written into the model's graph, with weights.
 *
 * @module
 */

import type { ElementType } from "../../onnx/codec/element_type.ts";
import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import type { Shape } from "../../onnx/codec/value_info.ts";
import type { TrainingBatch } from "../data/data_source.ts";

/** What losses and metrics are written with. */
export interface LossBuilder {
  /** Writes operators into the graph of the model. */
  readonly graph: GraphBuilder;
  /**
   * What the model gives.
   *
   * @param name which output, or any value of the graph; left out, the only output
   * @throws {RangeError} where there is none of that name, or several outputs to choose from
   * @throws {TypeError} where it is not of float32
   */
  output(name?: string): Value<"f32">;
  /**
   * Something that comes with each batch: a new input, or one that is there.
   *
   * @param like a value of the same shape, or the lengths; free ones are names
   * @throws {TypeError} where there is one of that name with another type
   */
  target<Type extends ElementType>(
    name: string,
    type: Type,
    like: Value | Shape,
  ): Value<Type>;
}

/** A part of a loss: a mean over something, and what it counts for. */
export interface LossTerm {
  /** What it is called in metrics: `"loss/energy"` for `"energy"`. The only term of a loss has none. */
  readonly name?: string;
  /** A single number: the mean over what `count` counts. */
  readonly mean: Value<"f32">;
  /**
   * What it is multiplied by, or that as a function of the step.
   *
   * @default 1
   */
  readonly weight?: number | ((step: number) => number);
  /**
   * Over how many the mean is taken in a batch: so that batches of several parts count as one.
   *
   * @default the samples of the batch
   */
  count?(batch: TrainingBatch): number;
}

/** What is made small. */
export interface Loss {
  /** What it is called. */
  readonly name: string;
  /** Outputs that the model must have and does not: answers with the model that has them. */
  prepare?(model: ModelProto): ModelProto;
  /** Writes it into the graph; the loss is the sum of weight · mean over its terms. */
  terms(builder: LossBuilder): readonly LossTerm[];
}

/** A loss as it may be given: one of those here, or a function that writes a single number. */
export type LossLike = Loss | ((builder: LossBuilder) => Value<"f32">);

/** A loss in its one form. */
export function lossOf(given: LossLike): Loss {
  if (typeof given !== "function") return given;
  return { name: given.name || "loss", terms: (builder) => [{ mean: given(builder) }] };
}

/** The mean over all elements. */
export function meanOf(graph: GraphBuilder, value: Value<"f32">): Value<"f32"> {
  return graph.op("ReduceMean", [value], "f32", { keepdims: 0 });
}

/** Counts the numbers of a target. */
export function numbersOf(target: string): (batch: TrainingBatch) => number {
  return ({ feeds }) => feeds[target]?.data.length ?? 0;
}
