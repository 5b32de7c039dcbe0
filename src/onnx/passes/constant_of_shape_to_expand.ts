import { create } from "@bufbuild/protobuf";
import { TensorProtoSchema } from "onnx-buf";
import { attributeOf } from "../codec/attributes.ts";
import type { Graph } from "../graph/graph.ts";
import type { TensorProto } from "../codec/messages.ts";
import { makeTensorProto } from "../codec/tensor_proto.ts";
import { operands } from "./operands.ts";

const ACTION = "write ConstantOfShape as Expand";

/**
 * Rewrites ConstantOfShape, which has no WebGPU kernel, as Expand, which has one.
 *
 * @returns number of nodes that were rewritten
 * @throws {UnsupportedNodeError} if a subgraph contains ConstantOfShape
 *
 * @example
 * ```ts
 * import { constantOfShapeToExpand, decodeModel, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("zeros");
 * g.output("y", g.op("ConstantOfShape", [g.input("shape", "i64", [1])], "f32"), ["N"]);
 * const graph = new Graph(decodeModel(g.build()));
 * assertEquals(constantOfShapeToExpand(graph), 1);
 * assertEquals(graph.nodes.map(({ opType }) => opType), ["Expand"]);
 * ```
 */
export function constantOfShapeToExpand(graph: Graph): number {
  graph.refuseControlFlow(ACTION, "ConstantOfShape");
  const found = graph.nodes.filter(({ opType, domain }) =>
    opType === "ConstantOfShape" && domain === ""
  );
  for (const node of found) {
    const { inputs: [shape = ""] } = operands(node, 1, ACTION);
    const value = graph.addConstant(scalar(attributeOf(node, "value")?.t, graph.freshName("fill")));
    graph.replaceNode(node, graph.add("Expand", [value, shape]));
  }
  return found.length;
}

/** Returns a scalar constant with the element of a tensor; 0 if `tensor` is `undefined`. */
function scalar(tensor: TensorProto | undefined, name: string): TensorProto {
  if (tensor === undefined) return makeTensorProto("f32", [], [0], name);
  return create(TensorProtoSchema, { ...tensor, name, dims: [] });
}
