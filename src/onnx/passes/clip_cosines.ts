import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { factsOf } from "../infer/shared_facts.ts";
import { Guards } from "./guards.ts";
import { operands } from "./operands.ts";

const ACTION = "clip cosines";

/**
 * Largest cosine that rounding errors produce in place of 1. The product of two lengths has an error of a few units
 * in the last place.
 */
const LIMITS: Partial<Record<ElementType, number>> = { f64: 1 + 2 ** -49, f32: 1 + 2 ** -20 };

/**
 * Clips operands of Acos and Asin that exceed −1 or 1 only by rounding errors. In a perfect crystal some angles are
 * exactly 180°. Without this pass, the direction of the axes decides whether their cosines are rounded to a number
 * below −1, whose angle is NaN. Larger numbers are not clipped, and other angles do not change.
 *
 * @returns number of operands that were clipped
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { clipCosines, decodeModel, evaluatorSession, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("angles");
 * builder.output("angles", builder.op("Acos", [builder.input("cosines", "f32", ["N"])], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(clipCosines(graph), 1);
 * await using session = evaluatorSession(graph.encode());
 * const { angles } = await session.run({ cosines: { data: Float32Array.of(1.0000001, 0, 2) } });
 * const { data } = angles as { data: Float64Array };
 * assertEquals([...data], [0, Math.PI / 2, NaN]);
 * ```
 */
export function clipCosines(graph: Graph): number {
  const facts = factsOf(graph), guards = new Guards(graph);
  // Several nodes may take the angle of the same operand.
  const clipped = new Map<string, string>();
  let count = 0;
  for (const node of [...graph.nodes]) {
    const isAngle = (node.opType === "Acos" || node.opType === "Asin") && node.domain === "";
    if (!isAngle) continue;
    const { inputs: [x = ""] } = operands(node, 1, ACTION);
    const limit = LIMITS[facts.of(x).type ?? "f32"];
    if (limit === undefined || guards.isWithinOne(x)) continue;
    graph.setInput(node, 0, clipped.get(x) ?? clip(graph, x, limit, facts.of(x).type ?? "f32"));
    clipped.set(x, node.input[0]!);
    count++;
  }
  return count;
}

function clip(graph: Graph, x: string, limit: number, type: ElementType): string {
  const number = (value: number) => graph.constantOf(type, value, [], `cosine_${value}`);
  const isNear = graph.make("Less", [graph.make("Abs", [x]), number(limit)]);
  return graph.make("Where", [isNear, graph.make("Clip", [x, number(-1), number(1)]), x]);
}
