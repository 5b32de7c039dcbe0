import type { Graph } from "../graph/graph.ts";
import { bareValueInfo } from "./bare_value_info.ts";
import { tapName } from "./added_names.ts";
import { findPoints, type TensorPoint } from "./points.ts";

/**
 * Adds tensors to the outputs of a graph. The nodes of the graph do not change.
 *
 * The result of a node keeps its name. An input or a constant `x` cannot be an output, so a copy named `tap:x` is
 * added. Existing outputs do not change.
 *
 * The runtime must keep an exposed tensor in memory and cannot fuse it with others, so expose only what you need,
 * and use {@linkcode statistics} if a few numbers suffice.
 *
 * @param globs names or patterns, as in {@linkcode points}
 * @returns the name of the output for each tensor
 * @throws {RangeError} if a pattern matches nothing
 * @throws {TypeError} if a name belongs to a sequence
 * @throws {UnsupportedNodeError} if a name is in a node's subgraph
 *
 * @example
 * ```ts
 * import { decodeModel, expose, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("two");
 * const x = builder.input("x", "f32", ["N"]);
 * builder.output("y", builder.op("Exp", [builder.op("Tanh", [x], "f32")], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(expose(graph, ["tan?", "x"]), { x: "tap:x", tanh: "tanh" });
 * assertEquals(graph.outputs.map(({ name }) => name), ["y", "tap:x", "tanh"]);
 * ```
 */
export function expose(graph: Graph, globs: string | readonly string[]): Record<string, string> {
  const found = findPoints(graph, "expose tensors", globs);
  return Object.fromEntries(found.map((point) => [point.name, exposeOne(graph, point)]));
}

function exposeOne(graph: Graph, { name, type, shape }: TensorPoint): string {
  const isMade = graph.producer(name) !== undefined && graph.constant(name) === undefined;
  const own = tapName(name, "");
  if (isMade && graph.isOutput(name)) return name;
  if (!isMade && graph.isOutput(own)) return own;
  const output = isMade ? name : graph.make("Identity", [name], {}, graph.freshName(own));
  graph.addOutput(bareValueInfo(output, type, shape));
  return output;
}
