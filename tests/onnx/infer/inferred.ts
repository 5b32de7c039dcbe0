import type { Attributes } from "../../../src/onnx/codec/attributes.ts";
import { type Fact, GraphFacts } from "../../../src/onnx/infer/facts.ts";
import { type ElementType, Graph, type Shape, valueInfo } from "../../../src/onnx/mod.ts";
import { modelOf } from "../odd_models.ts";

/** An input of a node: one that is fed, of this type and shape; the numbers of a constant; `undefined`: left out. */
export type Given =
  | readonly [type: ElementType, shape?: Shape]
  | { readonly is: Constant }
  | undefined;

type Constant = number | readonly number[];

/** A graph of nothing yet. */
export function emptyGraph(): Graph {
  return new Graph(modelOf({}, 21n));
}

/** A fed value of this type and shape. */
export function fed(graph: Graph, type: ElementType, shape?: Shape): string {
  const name = graph.freshName("x");
  graph.addInput(valueInfo(name, type, shape));
  return name;
}

/** Returns the inferred facts of the outputs of one node. */
export function inferred(
  op: string,
  inputs: readonly Given[],
  options: { readonly attributes?: Attributes; readonly outputs?: number } = {},
): readonly Fact[] {
  const graph = emptyGraph();
  const names = inputs.map((input) => {
    if (input === undefined) return "";
    return "is" in input ? graph.constantOf("i64", input.is) : fed(graph, ...input);
  });
  const node = graph.add(op, names, options);
  const facts = new GraphFacts(graph);
  return node.output.map((name) => facts.of(name));
}

/** The shape of a node's first output, as text: "N×3"; "" is a scalar, "unknown" no known number of axes. */
export function shapeOf(op: string, inputs: readonly Given[], attributes: Attributes = {}): string {
  return shown(inferred(op, inputs, { attributes })[0]);
}

/** A shape as text. */
export function shown(fact: Fact | undefined): string {
  return fact?.shape?.join("×") ?? "unknown";
}
