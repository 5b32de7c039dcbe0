/**
 * Which constants of a graph are weights, where nobody says.
 *
 * @module
 */

import type { Graph } from "../../onnx/graph/graph.ts";
import type { Use } from "../../onnx/graph/graph_links.ts";

/** Operator → the inputs at which it has weights. */
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

/** Operators whose result a bias is added to. */
const BEFORE_BIAS: ReadonlySet<string> = new Set([
  "MatMul",
  "Gemm",
  "Einsum",
  "Conv",
  "ConvTranspose",
]);

/** Operators that show a tensor in another form. */
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

/** As exporters call the parameters of modules. */
const CALLED = /(^|[._/])(weight|bias|gamma|beta|kernel|embedding)s?$/i;

/**
 * Is a constant a weight: by its name, or by where it stands? Weights are multiplied as matrices, folded, looked up or
 * scale what was normalized; biases are added to what such operators give. What else is constant in a formula, such as
 * centers of radial functions, is none.
 */
export function isWeight(graph: Graph, name: string): boolean {
  return CALLED.test(name) || usesOf(graph, name).some((use) => isWeightUse(graph, use));
}

/** Where a value is used, in whatever form. */
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

/** Is it what an operator with weights gives, in whatever form? */
function isResult(graph: Graph, name: string): boolean {
  const node = graph.producer(name);
  if (node === undefined) return false;
  return BEFORE_BIAS.has(node.opType) ||
    (VIEWS.has(node.opType) && isResult(graph, node.input[0] ?? ""));
}
