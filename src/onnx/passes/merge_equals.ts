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
 * Lets what is there twice be there once: constants of the same type, shape and bytes become one, and so do nodes of
 * the same operator, attributes and inputs. The numbers stay as they are. Parameters stay apart: two that begin as
 * zeros become different. Nodes with graphs inside stay, and so does what these graphs use.
 *
 * To be used before {@linkcode captureSafe}, which needs its places apart.
 *
 * @returns how many nodes went; constants go with {@linkcode Graph.prune}
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
    // Both names of an output that comes out twice must stay, and what a graph inside of a node uses.
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
    // Before IR version 4 one that is an input too may be fed instead.
    if (graph.constant(name) !== tensor || graph.isOutput(name) || parameters.has(name)) continue;
    const bytes = bytesOf(tensor);
    if (bytes === undefined) continue;
    // The first bytes are there so that few have to be compared.
    const key = `${tensor.dataType}[${tensor.dims}]${bytes.subarray(0, 16)}`;
    const others = alike.get(key) ?? [];
    const same = others.find((other) => isEqual(other.bytes, bytes));
    if (same !== undefined && isUsedInside(graph, name)) continue;
    if (same !== undefined) graph.replaceUses(name, same.name);
    else alike.set(key, [...others, { name, bytes }]);
  }
}

/** Bytes of the numbers, however the file has them; `undefined` where it does not. */
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

/** All that a node's result depends on. In order: what its inputs were merged into is there already. */
function keyOf({ opType, domain, input, output, attribute }: NodeProto): string {
  // What one of them leaves out the other may not take from it.
  const made = output.map((name) => name === "" ? 0 : 1).join("");
  const names = JSON.stringify([domain, opType, input]);
  if (attribute.length === 0) return `${names}${made}`;
  return `${names}${made}${attribute.map(textOf).sort().join()}`;
}

/** All that an attribute says. Those that nodes often have are written out, which is many times faster. */
function textOf(attribute: AttributeProto): string {
  const { name, type, i, ints, refAttrName } = attribute;
  if (type === Kind.INT && refAttrName === "") return `${JSON.stringify(name)} ${i}`;
  if (type === Kind.INTS && refAttrName === "") return `${JSON.stringify(name)} [${ints}]`;
  return JSON.stringify(attribute, plain);
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
