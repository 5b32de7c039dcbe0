/**
 * Attributes of nodes.
 *
 * @module
 */

import { create } from "@bufbuild/protobuf";
import { AttributeProto_AttributeType as Kind, AttributeProtoSchema } from "onnx-buf";
import type { AttributeProto, NodeProto, TensorProto } from "./messages.ts";

/**
 * Value of an attribute. Plain numbers and lists are integers; floats are wrapped in an object, because `1` alone
 * could be either.
 */
export type AttributeValue =
  | number
  | string
  | readonly number[]
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | TensorProto;

/** Values of attributes, by name of the attribute. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

const encoder = new TextEncoder(), decoder = new TextDecoder();

/**
 * Returns the attributes of a new node in the form of a file. Throws a TypeError if a plain number is not an integer.
 */
export function attributeProtos(attributes: Attributes): AttributeProto[] {
  return Object.entries(attributes).map(([name, value]) =>
    create(AttributeProtoSchema, { name, ...fieldsOf(name, value) })
  );
}

function fieldsOf(name: string, value: AttributeValue): Partial<Omit<AttributeProto, "$typeName">> {
  if (typeof value === "string") return { type: Kind.STRING, s: encoder.encode(value) };
  if (typeof value === "number") return { type: Kind.INT, i: whole(name, value) };
  if ("float" in value) return { type: Kind.FLOAT, f: Math.fround(value.float) };
  if ("floats" in value) return { type: Kind.FLOATS, floats: value.floats.map(Math.fround) };
  if ("$typeName" in value) return { type: Kind.TENSOR, t: value };
  return { type: Kind.INTS, ints: value.map((each) => whole(name, each)) };
}

function whole(name: string, value: number): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new TypeError(
    `Cannot set the attribute ${name}: a plain number must be an integer (pass a float as { float: 0.5 }); ` +
      `got ${value}`,
  );
}

/** Returns an attribute of a node, or `undefined` if the node does not have it. */
export function attributeOf(node: NodeProto, name: string): AttributeProto | undefined {
  return node.attribute.find((each) => each.name === name);
}

/**
 * Returns an integer attribute, or `otherwise` if the node does not have it.
 *
 * @example
 * ```ts
 * import { decodeModel, GraphBuilder, intAttribute } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("softmax");
 * g.output("y", g.op("Softmax", [g.input("x", "f32", [2, 3])], "f32", { axis: 1 }));
 * const [node] = decodeModel(g.build()).graph!.node;
 * assertEquals([intAttribute(node!, "axis", -1), intAttribute(node!, "other", 7)], [1, 7]);
 * ```
 */
export function intAttribute(node: NodeProto, name: string, otherwise: number): number {
  const found = attributeOf(node, name);
  return found === undefined ? otherwise : Number(found.i);
}

/**
 * Returns a string attribute, or `otherwise` if the node does not have it.
 *
 * @example
 * ```ts
 * import { decodeModel, GraphBuilder, textAttribute } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("gelu");
 * g.output("y", g.op("Gelu", [g.input("x", "f32", [2])], "f32", { approximate: "tanh" }));
 * const [node] = decodeModel(g.build()).graph!.node;
 * assertEquals(textAttribute(node!, "approximate", "none"), "tanh");
 * ```
 */
export function textAttribute(node: NodeProto, name: string, otherwise: string): string {
  const found = attributeOf(node, name);
  return found === undefined ? otherwise : decoder.decode(found.s);
}

/**
 * Returns a float attribute, or `otherwise` if the node does not have it.
 *
 * @example
 * ```ts
 * import { decodeModel, floatAttribute, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("leaky");
 * g.output("y", g.op("LeakyRelu", [g.input("x", "f32", [2])], "f32", { alpha: { float: 0.5 } }));
 * const [node] = decodeModel(g.build()).graph!.node;
 * assertEquals([floatAttribute(node!, "alpha", 0.01), floatAttribute(node!, "beta", 2)], [0.5, 2]);
 * ```
 */
export function floatAttribute(node: NodeProto, name: string, otherwise: number): number {
  const found = attributeOf(node, name);
  return found === undefined ? otherwise : found.f;
}

/**
 * Returns an attribute with a list of integers, or `undefined` if the node does not have it.
 *
 * @example
 * ```ts
 * import { decodeModel, GraphBuilder, intsAttribute } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("transpose");
 * g.output("y", g.op("Transpose", [g.input("x", "f32", [2, 3])], "f32", { perm: [1, 0] }));
 * const [node] = decodeModel(g.build()).graph!.node;
 * assertEquals([intsAttribute(node!, "perm"), intsAttribute(node!, "axes")], [[1, 0], undefined]);
 * ```
 */
export function intsAttribute(node: NodeProto, name: string): readonly number[] | undefined {
  return attributeOf(node, name)?.ints.map(Number);
}

/** Returns an attribute with a list of floats, or `undefined` if the node does not have it. */
export function floatsAttribute(node: NodeProto, name: string): readonly number[] | undefined {
  return attributeOf(node, name)?.floats;
}
