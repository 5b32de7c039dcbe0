import type { Graph } from "../graph/graph.ts";
import { GraphFacts } from "../infer/facts.ts";
import { operands } from "./operands.ts";

const ACTION = "write acos as atan";

/**
 * Rewrites acos x as 2 atan √((1 − x)/(1 + x)). In float32, acos in WGSL has errors of up to 2·10⁻⁴, and atan of up
 * to 3·10⁻⁶. As with acos, the result is NaN outside of [−1, 1], and π at −1. At −1 the divisor 1 + x is replaced by
 * 10⁻³⁰ (10⁻⁷ in float16), because WGSL does not guarantee infinities.
 *
 * @returns number of nodes that were rewritten
 * @throws {UnsupportedNodeError} if a subgraph contains Acos
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { acosToAtan, decodeModel, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("angles");
 * builder.output("angles", builder.op("Acos", [builder.input("cosines", "f32", ["N"])], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(acosToAtan(graph), 1);
 * assertEquals(graph.nodes.some(({ opType }) => opType === "Acos"), false);
 * ```
 */
export function acosToAtan(graph: Graph): number {
  graph.refuseControlFlow(ACTION, "Acos");
  const found = graph.nodes.filter(({ opType, domain }) => opType === "Acos" && domain === "");
  const facts = new GraphFacts(graph);
  for (const acos of found) {
    const { inputs: [x = ""], output: angle } = operands(acos, 1, ACTION);
    const type = facts.of(x).type ?? facts.of(angle).type ?? "f32";
    const number = (value: number) => graph.constantOf(type, value, [], `acos_${value}`);
    const make = (op: string, ...inputs: string[]) => graph.make(op, inputs);
    const one = number(1), zero = number(0);
    const sum = make("Add", one, x);
    const bottom = make(
      "Where",
      make("Equal", sum, zero),
      number(type === "f16" ? 1e-7 : 1e-30),
      sum,
    );
    const half = make("Atan", make("Sqrt", make("Div", make("Sub", one, x), bottom)));
    graph.replaceNode(acos, graph.add("Mul", [half, number(2)]));
  }
  return found.length;
}
