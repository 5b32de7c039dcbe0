import type { Graph } from "../graph/graph.ts";
import { GraphFacts } from "../infer/facts.ts";
import type { KnownShape } from "../infer/fact.ts";
import { operands } from "../passes/operands.ts";

const ACTION = "write operands of Pow with the shape of its result";

/**
 * Gives both operands of each Pow the shape of its result, unless they have it or are scalars.
 *
 * If only one operand has a last axis that is a multiple of 4 (x [N, 8] to the power of p [N, 1] or [1, 1]), the
 * WebGPU build of onnxruntime 1.30 reads this operand as vec4 and the other as a number. Its shader passes both to a
 * function of two vec4, and does not compile. Only Pow calls such a function. Operands without axes, or with one axis
 * of length 1, use another shader, which does compile.
 *
 * @returns number of nodes that were rewritten
 * @throws {UnsupportedNodeError} if a subgraph contains Pow
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 */
export function spreadPowers(graph: Graph): number {
  graph.refuseControlFlow(ACTION, "Pow");
  const facts = new GraphFacts(graph);
  let count = 0;
  for (const node of [...graph.nodes]) {
    if (node.opType !== "Pow" || node.domain !== "") continue;
    const { inputs } = operands(node, 2, ACTION);
    const shapes = inputs.map((input) => facts.of(input).shape);
    let isRewritten = false;
    for (const [i, input] of inputs.entries()) {
      const own = shapes[i], other = shapes[1 - i];
      if (isScalar(own) || isScalar(other) || hasResultShape(own, other)) continue;
      graph.setInput(node, i, spread(graph, input, inputs[1 - i]!));
      isRewritten = true;
    }
    if (isRewritten) count++;
  }
  return count;
}

/**
 * Adds nodes that broadcast `value` against `other`, and returns the name of the result. The comparison of `other`
 * with itself has the shape of `other`, and Where selects `value` both where the comparison is true and where it is
 * false, as for NaN.
 */
function spread(graph: Graph, value: string, other: string): string {
  return graph.make("Where", [graph.make("Equal", [other, other]), value, value]);
}

/** Returns whether the runtime treats tensors of a shape as scalars. */
function isScalar(shape: KnownShape | undefined): boolean {
  return shape !== undefined && (shape.length === 0 || shape.length === 1 && shape[0] === 1);
}

/** Returns whether broadcasting against `other` is known to leave the shape `own` unchanged. */
function hasResultShape(own: KnownShape | undefined, other: KnownShape | undefined): boolean {
  if (own === undefined || other === undefined || other.length > own.length) return false;
  return other.every((length, axis) => {
    const mine = own[own.length - other.length + axis];
    return length === 1 || length === mine;
  });
}
