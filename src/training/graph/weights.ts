/**
 * Recognition of the weights among the constants of a graph, for files that do not note their parameters.
 *
 * @module
 */

import type { Graph } from "../../onnx/graph/graph.ts";
import type { Use } from "../../onnx/graph/graph_links.ts";

/** Indices of the inputs that may be weights, by the type of the operator. */
const WEIGHTS: Readonly<Record<string, readonly number[]>> = {
  MatMul: [0, 1],
  Gemm: [0, 1, 2],
  Einsum: [0, 1, 2, 3],
  Conv: [1, 2],
  ConvTranspose: [1, 2],
  Gather: [0],
  GatherND: [0],
  PRelu: [1],
  LayerNormalization: [1, 2],
  BatchNormalization: [1, 2],
  InstanceNormalization: [1, 2],
  GroupNormalization: [1, 2],
  LSTM: [1, 2, 3],
  GRU: [1, 2, 3],
  RNN: [1, 2, 3],
};

/** Operators to whose result a bias is added. */
const BEFORE_BIAS: ReadonlySet<string> = new Set([
  "MatMul",
  "Gemm",
  "Einsum",
  "Conv",
  "ConvTranspose",
]);

/** Operators that rearrange, convert or select elements and compute no new ones. */
const VIEWS: ReadonlySet<string> = new Set([
  "Identity",
  "Cast",
  "Transpose",
  "Reshape",
  "Squeeze",
  "Unsqueeze",
  "Flatten",
  "Expand",
  "Slice",
  "Split",
]);

/** Names that exporters give to the parameters of modules. */
const CALLED = /(^|[._/])(weight|bias|gamma|beta|kernel|embedding)s?$/i;

/**
 * Returns whether a constant is a weight, by its name or its use. Weights are multiplied as matrices, convolved,
 * looked up, or used to scale normalized values; biases are added to the results of such operators. Other constants
 * of a formula, such as centers of radial functions, are not weights.
 */
export function isWeight(graph: Graph, name: string): boolean {
  return CALLED.test(name) || usesOf(graph, name).some((use) => isWeightUse(graph, use));
}

/** Returns the uses of a value, also those after operators of {@linkcode VIEWS}. */
function usesOf(graph: Graph, name: string): Use[] {
  return graph.uses(name).flatMap((use) => {
    const { opType, output } = use.node;
    if (!VIEWS.has(opType) || use.index !== 0) return [use];
    return output.flatMap((each) => usesOf(graph, each));
  });
}

function isWeightUse(graph: Graph, { node, index }: Use): boolean {
  if (WEIGHTS[node.opType]?.includes(index) === true) return true;
  return node.opType === "Add" && isResult(graph, node.input[1 - index] ?? "");
}

/** Returns whether a value is the result of an operator with weights, perhaps after operators of {@linkcode VIEWS}. */
function isResult(graph: Graph, name: string): boolean {
  const node = graph.producer(name);
  if (node === undefined) return false;
  return BEFORE_BIAS.has(node.opType) ||
    (VIEWS.has(node.opType) && isResult(graph, node.input[0] ?? ""));
}
