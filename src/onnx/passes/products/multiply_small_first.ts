import { isFloat } from "../../codec/element_type.ts";
import type { Graph } from "../../graph/graph.ts";
import type { KnownShape } from "../../infer/fact.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { isReplaceable, replaceOutputs } from "../replace_value.ts";

/**
 * Reorders products so that small factors are multiplied first: (a · b) · c becomes a · (b · c) if b · c has fewer
 * elements than a · b, and the product of a view and a number becomes a view of the product. Only products of
 * floats with known shapes are changed, and only if nothing else uses the intermediate value.
 *
 * Values change only by rounding. If the pass runs before {@linkcode gradient}, the backward pass becomes cheaper,
 * too. onnxruntime is many times slower if a factor is broadcast, or if a last axis of length 1 is multiplied by a
 * scalar.
 *
 * @returns number of products that changed
 *
 * @example Scale the lengths of vectors
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, multiplySmallFirst } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("scaled");
 * const wide = builder.input("wide", "f32", ["N", 8]);
 * const scale = builder.input("scale", "f32", ["N", 1]);
 * builder.output("y", builder.mul(builder.mul(wide, scale), 2));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(multiplySmallFirst(graph), 1);
 * assertEquals(graph.sort()[0]?.input[0], "scale");
 * ```
 */
export function multiplySmallFirst(graph: Graph): number {
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    if (!isProduct(node) || !hasOwnInput(graph, node) || !isFloatFor(facts, node)) continue;
    const waiting = [node];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const made = beforeView(graph, next) ?? smallFirst(graph, facts, next);
      if (made === undefined) continue;
      count++;
      waiting.push(...made);
    }
  }
  return count;
}

/**
 * Operators that only rearrange or repeat the elements of their input. A product before such an operator never costs
 * more than one after it.
 */
const VIEWS = ["Unsqueeze", "Squeeze", "Reshape", "Flatten", "Expand", "Transpose"];

function isProduct({ opType, domain, input }: NodeProto): boolean {
  return opType === "Mul" && domain === "" && input.length === 2;
}

/**
 * Returns whether a product has an input that could be reordered. Most products have no such input, so this cheap
 * check comes first.
 */
function hasOwnInput(graph: Graph, { input }: NodeProto): boolean {
  return input.some((name) => {
    const node = ownProducer(graph, name);
    return node !== undefined && (isProduct(node) || VIEWS.includes(node.opType));
  });
}

function isFloatFor(facts: GraphFacts, { output }: NodeProto): boolean {
  const { type } = facts.of(output[0] ?? "");
  return type !== undefined && isFloat(type);
}

/** Returns the node that computes a value; `undefined` if the value has several uses or is an output. */
function ownProducer(graph: Graph, name: string): NodeProto | undefined {
  const node = graph.producer(name);
  const isOwn = node?.output.length === 1 && graph.uses(name).length === 1 && !graph.isOutput(name);
  return isOwn ? node : undefined;
}

/**
 * Rewrites view(x) · number as view(x · number). Returns the new product in a list; `undefined` if nothing was
 * rewritten.
 */
function beforeView(graph: Graph, node: NodeProto): NodeProto[] | undefined {
  if (!isReplaceable(graph, node)) return undefined;
  for (const [i, name] of node.input.entries()) {
    const number = node.input[1 - i]!, view = ownProducer(graph, name);
    if (view === undefined || view.domain !== "" || !VIEWS.includes(view.opType)) continue;
    if (graph.constant(number)?.dims.length !== 0 || graph.constant(name) !== undefined) continue;
    const product = graph.add("Mul", [view.input[0]!, number]);
    graph.setInput(view, 0, product.output[0]!);
    replaceOutputs(graph, node, [name]);
    return [product];
  }
  return undefined;
}

/**
 * Rewrites (a · b) · c as a · (b · c). Returns the products that are new or changed; `undefined` if nothing was
 * rewritten.
 */
function smallFirst(graph: Graph, facts: GraphFacts, node: NodeProto): NodeProto[] | undefined {
  for (const [i, name] of node.input.entries()) {
    const inner = ownProducer(graph, name), c = node.input[1 - i]!;
    if (inner === undefined || !isProduct(inner) || c === name) continue;
    for (const [j, b] of inner.input.entries()) {
      if (!isSmaller(facts, [b, c], name)) continue;
      const a = inner.input[1 - j]!, product = graph.add("Mul", [b, c]);
      graph.setInput(node, i, a);
      graph.setInput(node, 1 - i, product.output[0]!);
      graph.remove(inner);
      return [product, node];
    }
  }
  return undefined;
}

/**
 * Returns whether the product of two values has fewer elements than the value `than`. One of the two values must have
 * the shape of the product.
 */
function isSmaller(facts: GraphFacts, [x, y]: readonly [string, string], than: string): boolean {
  const [a, b, most] = [x, y, than].map((name) => facts.of(name).shape);
  if (a === undefined || b === undefined || most === undefined) return false;
  const both = isWithin(a, b) ? b : isWithin(b, a) ? a : undefined;
  if (both === undefined || !isWithin(both, most)) return false;
  const lead = most.length - both.length;
  return most.some((length, axis) => length !== 1 && (both[axis - lead] ?? 1) === 1);
}

/** Returns whether a tensor of a shape can be broadcast to the shape `other`. */
function isWithin(shape: KnownShape, other: KnownShape): boolean {
  const lead = other.length - shape.length;
  return lead >= 0 && shape.every((length, axis) => length === 1 || length === other[lead + axis]);
}
