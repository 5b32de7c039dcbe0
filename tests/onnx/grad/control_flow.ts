/**
 * Nodes with graphs inside: If, Loop and Scan, each over a list of floats.
 *
 * @module
 */

import { create } from "@bufbuild/protobuf";
import { AttributeProto_AttributeType as Kind, AttributeProtoSchema } from "onnx-buf";
import {
  type Graph,
  GraphBuilder,
  type GraphProto,
  type NodeProto,
  valueInfo,
} from "../../../src/onnx/mod.ts";

/** Operators with graphs inside. */
export const CONTROL_FLOW = ["If", "Loop", "Scan"] as const;

/** Adds one that makes something of a list that is fed, once for each of its 3 elements; answers with its node. */
export function addControlFlow(
  graph: Graph,
  op: typeof CONTROL_FLOW[number],
  x: string,
): NodeProto {
  switch (op) {
    case "If": {
      const flag = graph.constantOf("bool", 1);
      return withBodies(graph.add(op, [flag]), {
        then_branch: body("then", [], (inner) => inner.make("Identity", [outside(inner, x)])),
        else_branch: body("else", [], (inner) => inner.make("Neg", [outside(inner, x)])),
      });
    }
    case "Loop": {
      const count = graph.constantOf("i64", 3), flag = graph.constantOf("bool", 1);
      const inputs = [valueInfo("turn", "i64", []), valueInfo("go", "bool", [])];
      const node = graph.add(op, [count, flag, x]);
      const of = body("loop", [...inputs, valueInfo("state", "f32", [3])], (inner) => {
        inner.add("Identity", ["go"], { outputs: ["goes"] });
        inner.addOutput(valueInfo("goes", "bool", []));
        return inner.make("Sin", ["state"]);
      });
      return withBodies(node, { body: of });
    }
    case "Scan": {
      const node = graph.add(op, [x], { attributes: { num_scan_inputs: 1 } });
      const of = body(
        "scan",
        [valueInfo("element", "f32", [])],
        (inner) => inner.make("Sin", ["element"]),
      );
      return withBodies(node, { body: of });
    }
  }
}

/** A graph for the inside of a node: its last output is what `write` answers with. */
function body(
  name: string,
  inputs: readonly ReturnType<typeof valueInfo>[],
  write: (inner: Graph) => string,
): GraphProto {
  const { graph } = new GraphBuilder(name);
  for (const input of inputs) graph.addInput(input);
  const made = write(graph), last = `${name}_${made}`;
  graph.rename(made, last);
  graph.addOutput(valueInfo(last, "f32"));
  const inside = graph.model.graph!;
  // What comes from outside is no input of it.
  inside.input = inputs.slice();
  graph.sort();
  return inside;
}

/** Lets a graph inside of a node use what the graph around it makes. */
function outside(inner: Graph, x: string): string {
  if (!inner.has(x)) inner.addInput(valueInfo(x, "f32", [3]));
  return x;
}

function withBodies(node: NodeProto, bodies: Readonly<Record<string, GraphProto>>): NodeProto {
  for (const [name, g] of Object.entries(bodies)) {
    node.attribute.push(create(AttributeProtoSchema, { name, type: Kind.GRAPH, g }));
  }
  return node;
}
