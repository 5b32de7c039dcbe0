import { textAttribute } from "../../codec/attributes.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Fact } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { type EinsumEquation, einsumEquation } from "../../graph/einsum_equation.ts";
import { type Factor, Factors } from "./einsum_factors.ts";

/**
 * Rewrites Einsum as MatMul, or as Mul and ReduceSum, and permutes axes if needed. Most runtimes execute these
 * operators faster. Products of more than two inputs are evaluated from left to right. Values change only by
 * rounding.
 *
 * An Einsum is not rewritten if
 * - a label occurs twice in one input (a diagonal)
 * - an ellipsis stands for an unknown number of axes
 * - the equation does not fit its inputs
 * - it is in a subgraph
 * - it sums over an axis that has length 1 in one input and another or an unknown length in another input
 *
 * Two lengths of which neither is known to be 1 are assumed to be equal: if one turns out to be 1, an Einsum would
 * repeat it, but the MatMul fails.
 *
 * @returns number of nodes that were rewritten
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, einsumToMatMul, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("product");
 * const a = builder.input("a", "f32", ["N", 3]), b = builder.input("b", "f32", [3, "M"]);
 * builder.output("c", builder.op("Einsum", [a, b], "f32", { equation: "nk,km->nm" }));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(einsumToMatMul(graph), 1);
 * assertEquals(graph.nodes.map(({ opType }) => opType), ["MatMul"]);
 * ```
 */
export function einsumToMatMul(graph: Graph): number {
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    if (node.opType !== "Einsum" || node.domain !== "") continue;
    const shapes = node.input.map((name) => facts.of(name).shape);
    const text = textAttribute(node, "equation", "");
    const equation = einsumEquation(text, shapes.map((shape) => shape?.length));
    if (equation === undefined || !isPlain(equation, shapes)) continue;
    const made = lower(graph, node, equation, shapes);
    const last = node.input.includes(made) ? undefined : graph.producer(made);
    graph.replaceNode(node, last ?? graph.add("Identity", [made]));
    count++;
  }
  return count;
}

type Shapes = readonly Fact["shape"][];

/**
 * Returns whether an equation has no diagonals, and sums over no axis that has length 1 in one input and may be
 * longer in another.
 */
function isPlain({ inputs, output }: EinsumEquation, shapes: Shapes): boolean {
  const lengths = new Map<string, number | string | undefined>();
  for (const [i, labels] of inputs.entries()) {
    if (new Set(labels).size < labels.length) return false;
    for (const [axis, label] of labels.entries()) {
      const length = shapes[i]?.[axis];
      const other = lengths.has(label) ? lengths.get(label) : length;
      const isFixed = typeof length === "number" && typeof other === "number";
      const mayDiffer = other !== length && (isFixed || other === 1 || length === 1);
      if (mayDiffer && !output.includes(label)) return false;
      lengths.set(label, typeof other === "number" ? other : length);
    }
  }
  return true;
}

/** Adds the nodes that replace an Einsum, and returns the name of their result. */
function lower(
  graph: Graph,
  node: NodeProto,
  { inputs, output }: EinsumEquation,
  shapes: Shapes,
): string {
  const factors = new Factors(graph);
  const all = inputs.map((labels, i): Factor => ({
    name: node.input[i] ?? "",
    labels,
    lengths: labels.map((_, axis) => {
      const length = shapes[i]?.[axis];
      // Reshape copies the old length in place of a 0.
      return typeof length === "number" && length > 0 ? length : undefined;
    }),
  }));
  const [first, ...rest] = all;
  let product = first!;
  for (const [i, next] of rest.entries()) {
    const later = new Set([...output, ...rest.slice(i + 1).flatMap(({ labels }) => labels)]);
    const both = [...new Set([...product.labels, ...next.labels])];
    const isLast = i === rest.length - 1;
    product = factors.product(product, next, isLast ? output : both.filter((l) => later.has(l)));
  }
  return factors.permuted(factors.summed(product, output), output).name;
}
