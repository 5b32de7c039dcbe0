import type { Graph } from "../graph.ts";
import type { AttributeProto, NodeProto } from "../messages.ts";

/** Twice is not once. */
const RANDOM = /^(Random|Multinomial|Bernoulli|Dropout)/;

/**
 * Lets what is computed twice be computed once: nodes of the same operator, attributes and inputs become one. The
 * numbers stay as they are.
 *
 * To be used before {@linkcode captureSafe}, which needs its places apart.
 *
 * @returns how many nodes went
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, mergeEquals } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("twice");
 * const x = builder.input("x", "f32", ["N"]);
 * builder.output("y", builder.add(builder.op("Exp", [x], "f32"), builder.op("Exp", [x], "f32")));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(mergeEquals(graph), 1);
 * ```
 */
export function mergeEquals(graph: Graph): number {
  graph.refuseControlFlow("merge equal nodes");
  const first = new Map<string, NodeProto>();
  let count = 0;
  for (const node of [...graph.sort()]) {
    const key = keyOf(node);
    const same = first.get(key);
    if (same === undefined) first.set(key, node);
    // Both names of an output that comes out twice must stay.
    if (same === undefined || node.output.some((name) => graph.isOutput(name))) continue;
    if (RANDOM.test(node.opType) || node.output.length !== same.output.length) continue;
    for (const [i, name] of node.output.entries()) graph.replaceUses(name, same.output[i]!);
    graph.remove(node);
    count++;
  }
  return count;
}

/** All that a node's result depends on. In order: what its inputs were merged into is there already. */
function keyOf({ opType, domain, input, output, attribute }: NodeProto): string {
  const attributes = attribute.toSorted((a, b) => a.name < b.name ? -1 : 1);
  return JSON.stringify([domain, opType, input, output.length, attributes], plain);
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  // JSON has one word for all that is not finite, and one zero.
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    return Object.is(value, -0) ? "-0" : `${value}`;
  }
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
  return value as AttributeProto;
}
