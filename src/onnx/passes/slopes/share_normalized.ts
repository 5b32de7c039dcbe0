import { floatAttribute, intAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { hasArray, isExternal, tensorType } from "../../codec/tensor_proto.ts";
import { plainOf } from "../../evaluate/plain_tensor.ts";
import type { Graph } from "../../graph/graph.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";
import { reducedAxes } from "../rows/axis_origins.ts";

/**
 * Writes LayerNormalization as scale · x̂ + shift if the graph computes the normalized values x̂ = (x − mean) / deviation
 * anyway. Gradients of LayerNormalization need x̂, so the mean and the deviation are then computed once instead of
 * twice. Values change only by rounding.
 *
 * The pass is optional: no list of passes for forces contains it, because roundings then differ from those of files in
 * which PyTorch traced forces. Run it after {@linkcode gradient}. Graphs without gradients do not change. The pass is for the processor: on WebGPU one
 * LayerNormalization takes less time than two other nodes.
 *
 * @returns number of nodes that were rewritten
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, gradient, shareNormalized } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("normalized");
 * const x = builder.input("x", "f32", ["N", 8]);
 * const [scale, shift] = [2, 1].map((value) => builder.constant("f32", new Array(8).fill(value)));
 * const y = builder.op("LayerNormalization", [x, scale!, shift!], "f32");
 * builder.output("energy", builder.reduceSum(builder.mul(y, y), [0, 1]));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(shareNormalized(graph), 0);
 * gradient(graph, { of: "energy", wrt: { x: "slope" } });
 * assertEquals(shareNormalized(graph), 1);
 * ```
 */
export function shareNormalized(graph: Graph): number {
  const layers = graph.nodes.filter(({ opType, domain }) =>
    opType === "LayerNormalization" && domain === ""
  );
  if (layers.length === 0) return 0;
  const facts = factsOf(graph), known = normalizedValues(graph, facts);
  let count = 0;
  for (const node of layers) {
    const [x = "", scale = "", shift = ""] = node.input, { type, shape } = facts.of(x);
    const rank = shape?.length ?? 0, axis = intAttribute(node, "axis", -1);
    const first = axis < 0 ? axis + rank : axis;
    const values = known.get(keyOf(x, first, floatAttribute(node, "epsilon", 1e-5)));
    // Further outputs are the mean and the inverse deviation. The operator computes 16-bit floats in 32 bits.
    if (values === undefined || node.output.length > 1 || type !== "f32" && type !== "f64") {
      continue;
    }
    const made = shift === ""
      ? graph.add("Mul", [values, scale])
      : graph.add("Add", [graph.make("Mul", [values, scale]), shift]);
    graph.replaceNode(node, made);
    count++;
  }
  return count;
}

/** Returns a text that is equal for equal normalizations of a value over all axes from `first` on. */
function keyOf(x: string, first: number, epsilon: number): string {
  return JSON.stringify([x, first, Math.fround(epsilon)]);
}

/** Returns the names of all normalized values in a graph, as gradients compute them, by their {@linkcode keyOf}. */
function normalizedValues(graph: Graph, facts: GraphFacts): ReadonlyMap<string, string> {
  const made = (name: string | undefined, opType: string): readonly string[] => {
    const node = graph.producer(name ?? "");
    return node?.opType === opType && node.domain === "" ? node.input : [];
  };
  const all = new Map<string, string>();
  for (
    const { opType, domain, input: [centered = "", inverse], output: [name = ""] } of graph.nodes
  ) {
    const [x, mean] = opType === "Mul" && domain === "" ? made(centered, "Sub") : [];
    if (x === undefined || mean === undefined) continue;
    // (x − mean) · 1 / √(mean((x − mean)²) + epsilon)
    const [variance, epsilon] = made(made(made(inverse, "Reciprocal")[0], "Sqrt")[0], "Add");
    const [square] = made(variance, "ReduceMean"), factors = made(square, "Mul");
    const first = firstAxisOf(graph.producer(mean), facts), number = numberOf(graph, epsilon);
    if (made(mean, "ReduceMean")[0] !== x || first === undefined || number === undefined) continue;
    if (factors.some((factor) => factor !== centered) || factors.length !== 2) continue;
    if (firstAxisOf(graph.producer(variance!), facts) !== first) continue;
    all.set(keyOf(x, first, number), name);
  }
  return all;
}

/** Returns the first axis of a reduction that keeps axes, and takes all axes from that one on. */
function firstAxisOf(node: NodeProto | undefined, facts: GraphFacts): number | undefined {
  const rank = facts.of(node?.input[0] ?? "").shape?.length;
  if (node === undefined || rank === undefined || intAttribute(node, "keepdims", 1) !== 1) return;
  const axes = reducedAxes(node, rank, facts)?.toSorted((a, b) => a - b) ?? [];
  const isTail = axes.every((axis, i) => axis === rank - axes.length + i);
  return isTail ? axes[0] : undefined;
}

/** Returns the value of a constant with one element; `undefined` for other values. */
function numberOf(graph: Graph, name: string = ""): number | undefined {
  const tensor = graph.constant(name);
  if (tensor === undefined || isExternal(tensor) || !hasArray(tensorType(tensor))) return undefined;
  const { data } = plainOf(tensor);
  return data.length === 1 ? data[0] : undefined;
}
