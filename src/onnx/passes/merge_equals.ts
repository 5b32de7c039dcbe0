import { AttributeProto_AttributeType as Kind } from "onnx-buf";
import type { Graph } from "../graph/graph.ts";
import type { AttributeProto, NodeProto, TensorProto } from "../codec/messages.ts";
import { hasArray, isExternal, tensorType, tensorValues } from "../codec/tensor_proto.ts";
import type { PassOptions } from "./pass.ts";
import { listOf } from "../codec/element_type.ts";
import { isRandom } from "./random.ts";
import { isReplaceable, isUsedInside } from "./replace_value.ts";
import { hasSubgraphs } from "../graph/subgraphs.ts";

/**
 * Merges duplicates: constants of the same type, shape and bytes, and nodes of the same operator, attributes and
 * inputs. Values do not change. Parameters are not merged, because equal initial values become different in
 * training. Nodes with subgraphs, and values that subgraphs use, are kept.
 *
 * Use it before {@linkcode captureSafe}, whose inserted nodes must stay separate.
 *
 * @returns number of nodes that were removed; unused constants are removed by {@linkcode Graph.prune}
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
export function mergeEquals(graph: Graph, options: PassOptions = {}): number {
  const parameters = new Set(options.parameters);
  mergeConstants(graph, parameters);
  const first = new Map<string, NodeProto>();
  let count = 0;
  for (const node of [...graph.sort()]) {
    if (node.output.some((name) => parameters.has(name))) continue;
    const key = keyOf(node);
    const same = first.get(key);
    if (same === undefined) first.set(key, node);
    // Keep values whose name is needed: a duplicate that is also an output, and values that subgraphs use.
    if (same === undefined || isRandom(node) || hasSubgraphs(node) || !isReplaceable(graph, node)) {
      continue;
    }
    for (const [i, name] of node.output.entries()) graph.replaceUses(name, same.output[i]!);
    graph.remove(node);
    count++;
  }
  return count;
}

function mergeConstants(graph: Graph, parameters: ReadonlySet<string>): void {
  const alike = new Map<string, { readonly name: string; readonly bytes: Uint8Array }[]>();
  for (const tensor of graph.model.graph?.initializer ?? []) {
    const { name } = tensor;
    // Before IR version 4 a constant that is also an input may be fed, so its value is not fixed.
    if (graph.constant(name) !== tensor || graph.isOutput(name) || parameters.has(name)) continue;
    const bytes = bytesOf(tensor);
    if (bytes === undefined) continue;
    // Keys contain the first bytes, so that few constants must be compared in full.
    const key = `${tensor.dataType}[${tensor.dims}]${bytes.subarray(0, 16)}`;
    const others = alike.get(key) ?? [];
    const same = others.find((other) => isEqual(other.bytes, bytes));
    if (same !== undefined && isUsedInside(graph, name)) continue;
    if (same !== undefined) graph.replaceUses(name, same.name);
    else alike.set(key, [...others, { name, bytes }]);
  }
}

/**
 * Returns the elements of a constant as bytes, whichever field of the tensor contains them; `undefined` if they are
 * in another file, or if no array class exists for their type.
 */
function bytesOf(tensor: TensorProto): Uint8Array | undefined {
  const type = tensorType(tensor);
  if (isExternal(tensor) || !hasArray(type)) return undefined;
  if (tensor[listOf(type)].length === 0) return tensor.rawData;
  const { buffer, byteOffset, byteLength } = tensorValues(tensor);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Returns a text that is equal for nodes with equal results. Equal inputs have equal names, because nodes are visited
 * in topological order and duplicates were merged before.
 */
function keyOf({ opType, domain, input, output, attribute }: NodeProto): string {
  // The number of outputs matters: a node without an optional output cannot replace one that has it.
  const made = output.map((name) => name === "" ? 0 : 1).join("");
  const names = JSON.stringify([domain, opType, input]);
  if (attribute.length === 0) return `${names}${made}`;
  return `${names}${made}${attribute.map(textOf).sort().join()}`;
}

/**
 * Returns the content of an attribute as text. Frequent kinds have their own branches, which are many times faster
 * than JSON.
 */
function textOf(attribute: AttributeProto): string {
  const { name, type, i, ints, refAttrName } = attribute;
  if (type === Kind.INT && refAttrName === "") return `${JSON.stringify(name)} ${i}`;
  if (type === Kind.INTS && refAttrName === "") return `${JSON.stringify(name)} [${ints}]`;
  return JSON.stringify(attribute, plain);
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  // JSON writes all non-finite numbers as null, and −0 as 0, so compare their bits.
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    return Object.is(value, -0) ? "-0" : `${value}`;
  }
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
  return value as AttributeProto;
}
