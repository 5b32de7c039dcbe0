import type { Attributes } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { makeTensorProto } from "../../codec/tensor_proto.ts";
import type { Graph } from "../../graph/graph.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";
import type { PassOptions } from "../pass.ts";
import { VIEWS } from "./axis_origins.ts";
import { addLike, copyRegion, type Region, viewed } from "./region.ts";
import { type Analyzed, networkBehind, type RowChoice, rowChoiceOf } from "./row_choice.ts";
import { unstackNetworks } from "./unstack.ts";

/**
 * Evaluates networks only for the rows whose results are used. Potentials with a network per element often evaluate all
 * networks for all atoms, and select by `numbers == element` afterwards: with Where, or as a sum of products with
 * zeros and ones. The pass gathers the rows of each element first, evaluates its network for them, and scatters the
 * results. Networks that are stacked along an axis, over which the products are summed, are taken apart.
 *
 * A network is recognized if every row of its result depends on the same row of its inputs only, if it contains a product
 * with a matrix, if nothing else uses its values, and if its rows are selected by comparing integers. Other
 * graphs do not change. Values change only by rounding, except that a network that is not finite for an unselected row
 * no longer makes the sum NaN.
 *
 * Run it before {@linkcode gradient}, so that gradients follow. Numbers of selected rows are known only at run time,
 * so the result is for the processor: WebGPU runs NonZero on the processor and cannot replay the graph.
 *
 * @returns number of networks that were changed
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, selectRowsFirst } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("elements");
 * const x = builder.input("x", "f32", ["N", 2]), numbers = builder.input("numbers", "i64", ["N"]);
 * const weights = builder.constant("f32", [1, 2], [2, 1]);
 * const energies = builder.squeeze(builder.op("MatMul", [x, weights], "f32"), [1]);
 * const isHydrogen = builder.op("Equal", [numbers, builder.constant("i64", 1)], "bool");
 * builder.output("y", builder.op("Where", [isHydrogen, energies, builder.constant("f32", 0)], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(selectRowsFirst(graph), 1);
 * ```
 */
export function selectRowsFirst(graph: Graph, options: PassOptions = {}): number {
  if (graph.nodes.every(({ opType }) => opType !== "Equal")) return 0;
  const parameters = new Set(options.parameters);
  unstackNetworks(graph, parameters);
  const analyzed = { graph, facts: factsOf(graph), parameters };
  let count = 0;
  for (const node of graph.sort()) {
    const choice = rowChoiceOf(analyzed, node);
    const region = choice && networkBehind(analyzed, choice, node);
    if (choice === undefined || region === undefined) continue;
    graph.replaceNode(node, scattered(analyzed, choice, region));
    count++;
  }
  return count;
}

/**
 * Adds nodes that compute the selected rows of a value, and returns the node that scatters them among the other rows.
 */
function scattered({ graph, facts }: Analyzed, choice: RowChoice, region: Region): NodeProto {
  const { mask, maskAxis, value } = choice;
  const places = graph.make("NonZero", [mask]);
  const rows = graph.make("Gather", [places, graph.constantOf("i64", maskAxis)], { axis: 0 });
  const made = copyRegion(region, value, {
    border: (name, axis) => graph.make("Gather", [name, rows], { axis }),
    node(node, inputs) {
      if (!VIEWS.includes(node.opType)) return addLike(graph, node, inputs);
      // The shape of a Reshape may contain the number of rows.
      const [from, to] = [node.input[0]!, node.output[0]!].map((name) => facts.of(name).shape!);
      return viewed(graph, inputs[0]!, from!, to!);
    },
  });
  const indices = graph.make("Unsqueeze", [rows, graph.constantOf("i64", [1])]);
  return graph.add("ScatterND", [restOf(graph, facts, choice), indices, made]);
}

/**
 * Returns the name of a value with the shape of the result, which contains the rows that are not selected. Adds the
 * nodes that compute it if necessary.
 */
function restOf(
  graph: Graph,
  facts: GraphFacts,
  { rest, mask, maskAxis, shape: [, ...others], shape, type }: RowChoice,
): string {
  if (rest !== undefined && facts.of(rest).shape?.join() === shape.join()) return rest;
  const count = graph.make("Shape", [mask], { start: maskAxis, end: maskAxis + 1 });
  const lengths = others.length === 0 ? count : graph.make("Concat", [
    count,
    graph.constantOf("i64", others as number[]),
  ], { axis: 0 });
  if (rest !== undefined) return graph.make("Expand", [rest, lengths]);
  const zero: Attributes = { value: makeTensorProto(type, [1], [0], "") };
  return graph.make("ConstantOfShape", [lengths], zero);
}
