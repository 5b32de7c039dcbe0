/**
 * Compares the results of a graph with those of PyTorch.
 *
 * @module
 */

import { openEvaluator } from "../../../src/onnx/evaluate/evaluator.ts";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import type { Graph } from "../../../src/onnx/graph/graph.ts";
import type { PlainTensors } from "./torch_cases.ts";

/** Values to compare, and the largest accepted difference. */
export interface Expectation {
  /** All that may be fed; a graph takes what it has inputs for. */
  readonly feeds: PlainTensors;
  /** Value of the graph → what it must be. */
  readonly expected: PlainTensors;
  /** In parts of the largest number. */
  readonly tolerance: number;
}

/** Sentences on what differs. */
export function compare(graph: Graph, { feeds, expected, tolerance }: Expectation): string[] {
  const made = openEvaluator(graph).run(fedTo(graph, feeds), Object.keys(expected));
  return Object.entries(expected).flatMap(([name, right]) =>
    difference(name, made[name]!, right, tolerance)
  );
}

/** A sentence where numbers, or what they are, differ; NaN differs from all. */
function difference(
  name: string,
  own: PlainTensor,
  right: PlainTensor,
  tolerance: number,
): string[] {
  const [is, must] = [own, right].map(({ type, dims }) => `${type}[${dims}]`);
  if (is !== must) return [`${name} is ${is} and must be ${must}`];
  const largest = right.data.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const limit = tolerance * (largest || 1);
  const isNear = (x: number, i: number) => Math.abs(x - right.data[i]!) <= limit;
  return own.data.every(isNear) ? [] : [`${name} is [${own.data}] and must be [${right.data}]`];
}

/** Of all feeds those that a graph takes: it grows. */
function fedTo({ inputs }: Graph, feeds: PlainTensors): PlainTensors {
  return Object.fromEntries(inputs.map(({ name }) => [name, feeds[name]!]));
}
