/**
 * The graphs that a trainer runs. They are the graph of the model with parameters as inputs, and with losses, metrics
 * and gradients as outputs.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import { gpuForm } from "../../onnx/session/gpu_form.ts";
import { gradient } from "../../onnx/grad/gradient.ts";
import { Graph } from "../../onnx/graph/graph.ts";
import { GraphBuilder, type Value } from "../../onnx/graph/graph_builder.ts";
import { GraphFacts } from "../../onnx/infer/facts.ts";
import { declaredShape } from "../../onnx/infer/declared_shape.ts";
import { runPasses, SIMPLIFYING_PASSES } from "../../onnx/passes/passes.ts";
import type { Shape } from "../../onnx/codec/value_info.ts";
import type { Loss, LossBuilder, LossTerm } from "../losses/loss.ts";
import type { Metric, MetricsByName } from "../metrics/metric.ts";
import type { Place } from "../model/arena.ts";
import {
  FLAT_GRADIENTS,
  FLAT_PARAMETERS,
  gradientName,
  MEANS,
  SHARES,
  slopeName,
} from "./graph_names.ts";

/** Parts from which the graphs are built. */
export interface GraphParts {
  /** The bytes of the model. */
  readonly model: Uint8Array;
  /** The parameters, in the order of their positions in the arena. */
  readonly places: readonly Place[];
  /** The loss to minimize. */
  readonly loss: Loss;
  /** The metrics to measure. */
  readonly metrics: MetricsByName;
  /** Applies the patches of hooks, before anything else is added to the graph. */
  readonly edit?: ((graph: Graph) => void) | undefined;
  /** Makes tensors changeable by hooks; called after `edit`. */
  readonly open?: ((graph: Graph) => void) | undefined;
  /** Terms that hooks add to the loss. */
  readonly terms?: readonly Loss[] | undefined;
  /** True for WebGPU, where all parameters are one tensor, and all gradients are another. */
  readonly isGpu: boolean;
}

/** The values that a graph measures: the terms of the loss, followed by the metrics. */
export interface Measured {
  /** The terms of the loss. */
  readonly terms: readonly LossTerm[];
  /** The metrics, with their names. */
  readonly metrics: readonly (Metric & { readonly name: string })[];
}

/** A graph that is ready to be opened as a session. */
export interface BuiltGraph extends Measured {
  /** The bytes of the file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Builds the graph of loss and metrics. If `gradients` is true, it also computes the gradient of every parameter. */
export function lossGraph(parts: GraphParts, { gradients }: { gradients: boolean }): BuiltGraph {
  const graph = prepared(parts);
  const before = graph.outputs.map(({ name }) => name);
  const measured = measure(graph, parts);
  const objective = gradients ? objectiveOf(graph, measured.terms.length) : undefined;
  for (const name of before) graph.removeOutput(name);
  if (objective !== undefined) differentiate(graph, objective, parts.places);
  return { ...measured, bytes: finished(graph, parts, gradients) };
}

/** Builds the graph of the model's outputs. `expose` may add other tensors as outputs. */
export function forwardGraph(
  parts: GraphParts,
  expose: (graph: Graph) => void = () => {},
): Uint8Array<ArrayBuffer> {
  const graph = prepared(parts);
  expose(graph);
  return finished(graph, parts, false);
}

/**
 * Builds the graph that computes the gradient of every parameter from the derivatives of a loss with respect to the
 * outputs of the model.
 */
export function slopeGraph(parts: GraphParts): Uint8Array<ArrayBuffer> {
  const graph = prepared(parts), builder = new GraphBuilder(graph);
  const outputs = graph.outputs.map(({ name }) => name).filter((name) =>
    graph.type(name) === "f32"
  );
  const facts = new GraphFacts(graph);
  const sums = outputs.map((name) => {
    const { shape } = facts.of(name);
    const slope = builder.input(slopeName(name), "f32", shape ? declaredShape(shape) : []);
    const product = builder.mul(builder.value(name, "f32"), slope);
    return builder.op("ReduceSum", [product], "f32", { keepdims: 0 });
  });
  const sum = sums.reduce((a, b) => builder.add(a, b));
  for (const { name } of [...graph.outputs]) graph.removeOutput(name);
  differentiate(graph, sum.name, parts.places);
  return finished(graph, parts, true);
}

/**
 * Prepares the graph of the model: turns parameters into inputs, applies the changes of hooks, and lets losses add
 * outputs.
 */
function prepared({ model, places, loss, terms = [], edit, open }: GraphParts): Graph {
  let graph = new Graph(decodeModel(model));
  for (const { name } of places) graph.feed(name);
  edit?.(graph);
  open?.(graph);
  for (const each of [loss, ...terms]) {
    graph.sort();
    if (each.prepare !== undefined) graph = new Graph(each.prepare(graph.model));
  }
  return graph;
}

/**
 * Adds losses and metrics to the graph. Their means become one output tensor, `MEANS`: first the terms of the losses,
 * then the metrics.
 */
function measure(graph: Graph, { loss, metrics, terms: more = [] }: GraphParts): Measured {
  const builder = lossBuilder(graph);
  const own = loss.terms(builder);
  const terms = [
    ...own.map((term, i) => ({ ...term, name: term.name ?? (i === 0 ? "" : `${i}`) })),
    ...more.flatMap((loss) =>
      loss.terms(builder).map((term) => ({ ...term, name: term.name ?? loss.name }))
    ),
  ];
  const measured = Object.entries(metrics).map(([name, metric]) => metricOf(name, metric, builder));
  const means = [...terms.map(({ mean }) => mean), ...measured.map(({ value }) => value)];
  const axis = builder.graph.constant("i64", [0]);
  const parts = means.map((mean) =>
    builder.graph.op("Unsqueeze", [single(builder, mean), axis], "f32")
  );
  const all = parts.length === 1
    ? parts[0]!
    : builder.graph.op("Concat", parts, "f32", { axis: 0 });
  builder.graph.output(MEANS, all, [means.length]);
  return { terms, metrics: measured.map(({ metric }) => metric) };
}

/**
 * Reshapes a mean of one element to a scalar, and returns it. Adds no node if it is a scalar already, or its shape is
 * unknown. Throws a RangeError if the mean has more than one element.
 */
function single({ graph }: LossBuilder, mean: Value<"f32">): Value<"f32"> {
  const { shape } = new GraphFacts(graph.graph).of(mean.name);
  if (shape === undefined || shape.length === 0) return mean;
  if (shape.some((length) => length !== 1)) {
    throw new RangeError(
      `Cannot train the model: each term of a loss, and each metric, must be a single number (a mean over the batch); ` +
        `got the shape [${shape.join(", ")}]`,
    );
  }
  return graph.reshape(mean, graph.constant("i64", [], [0]));
}

function metricOf(name: string, metric: Metric | Loss, builder: LossBuilder): {
  readonly value: Value<"f32">;
  readonly metric: Metric & { readonly name: string };
} {
  if (!("terms" in metric)) {
    return { value: metric.mean(builder), metric: { ...metric, name } };
  }
  const [term, ...others] = metric.terms(builder);
  if (term === undefined || others.length > 0) {
    throw new TypeError(
      `Cannot measure ${name}: a loss must have one term to be a metric; got ${
        others.length + (term === undefined ? 0 : 1)
      }`,
    );
  }
  const { mean, count } = term;
  return {
    value: mean,
    metric: { name, mean: () => mean, ...(count !== undefined && { count }) },
  };
}

/**
 * Adds the value to be differentiated, Σ share · mean over the terms, to the graph, and returns the name of the
 * value.
 */
function objectiveOf(graph: Graph, terms: number): string {
  const builder = new GraphBuilder(graph);
  const shares = builder.input(SHARES, "f32", [terms]);
  const means = builder.value(MEANS, "f32");
  const axis = builder.constant("i64", [0]);
  const own = graph.shape(MEANS)?.[0] === terms ? means : builder.op("Slice", [
    means,
    builder.constant("i64", [0]),
    builder.constant("i64", [terms]),
    axis,
  ], "f32");
  return builder.op("ReduceSum", [builder.mul(own, shares)], "f32", { keepdims: 0 }).name;
}

function differentiate(graph: Graph, of: string, places: readonly Place[]): void {
  const wrt = Object.fromEntries(places.map(({ name }) => [name, gradientName(name)]));
  gradient(graph, { of, wrt, unused: "zeros" });
}

/** Simplifies the graph, and encodes it in the form that its device needs. */
function finished(
  graph: Graph,
  { places, isGpu }: GraphParts,
  gradients: boolean,
): Uint8Array<ArrayBuffer> {
  if (isGpu) flatten(graph, places, gradients);
  runPasses(graph, SIMPLIFYING_PASSES);
  const bytes = graph.encode();
  return isGpu ? gpuForm(bytes) : bytes;
}

/** Joins all parameters in one input, and all gradients in one output, in the layout of the arena. */
function flatten(graph: Graph, places: readonly Place[], gradients: boolean): void {
  const builder = new GraphBuilder(graph);
  const size = places.reduce((sum, place) => sum + place.size, 0);
  const flat = builder.input(FLAT_PARAMETERS, "f32", [size]);
  const axis = builder.constant("i64", [0]);
  for (const { name, dims, from, size } of places) {
    const [start, end] = [builder.constant("i64", [from]), builder.constant("i64", [from + size])];
    const part = builder.op("Slice", [flat, start, end, axis], "f32");
    const shaped = builder.reshape(part, builder.constant("i64", dims));
    graph.replaceUses(name, shaped.name);
    graph.removeInput(name);
  }
  if (!gradients) return;
  const minusOne = builder.constant("i64", [-1]);
  const parts = places.map(({ name }) =>
    builder.reshape(builder.value(gradientName(name), "f32"), minusOne)
  );
  for (const { name } of places) graph.removeOutput(gradientName(name));
  builder.output(FLAT_GRADIENTS, builder.op("Concat", parts, "f32", { axis: 0 }), [size]);
}

/** Returns the builder by which losses and metrics add their operators to a graph. */
function lossBuilder(graph: Graph): LossBuilder {
  const builder = new GraphBuilder(graph);
  return {
    graph: builder,
    output(name) {
      if (name !== undefined) {
        if (!graph.has(name)) throw noOutput(graph, name);
        return floats(graph, name);
      }
      const [only, ...others] = graph.outputs.filter(({ name }) => graph.type(name) === "f32");
      if (only !== undefined && others.length === 0) return floats(graph, only.name);
      const names = graph.outputs.map(({ name }) => name).join(", ");
      throw new RangeError(
        `Cannot train the model: it has several outputs, so the loss needs the name of one. Pass it the option "output", one of ${names}`,
      );
    },
    target: (name, type, like) => {
      if (graph.has(name)) return builder.value(name, type);
      return builder.input(name, type, shapeOf(graph, like));
    },
  };
}

function floats(graph: Graph, name: string): Value<"f32"> {
  const { type } = new GraphFacts(graph).of(name);
  if (type === undefined || type === "f32") return { name, type: "f32" };
  throw new TypeError(
    `Cannot train the model: ${JSON.stringify(name)} must be float32; got ${type}`,
  );
}

function shapeOf(graph: Graph, like: Value | Shape): Shape {
  if (!("name" in like)) return like;
  const { shape } = new GraphFacts(graph).of(like.name);
  if (shape !== undefined) return declaredShape(shape);
  throw new RangeError(
    `Cannot train the model: the number of axes of ${
      JSON.stringify(like.name)
    } is unknown, so its target cannot be declared. Declare its shape by Graph.describe`,
  );
}

function noOutput(graph: Graph, name: string): RangeError {
  const names = [
    ...graph.outputs.map((output) => output.name),
    ...graph.nodes.flatMap(({ output }) => output),
  ];
  return new RangeError(
    `Cannot train the model: the loss must name a value of the graph; got ${JSON.stringify(name)}${
      didYouMean(name, names)
    }. Its outputs are ${graph.outputs.map((output) => output.name).join(", ")}`,
  );
}
