/**
 * Attributes of nodes.
 *
 * @module
 */

import { create } from "@bufbuild/protobuf";
import { AttributeProto_AttributeType as Kind, AttributeProtoSchema } from "onnx-buf";
import type { AttributeProto, NodeProto, TensorProto } from "./messages.ts";

/**
 * What an attribute may be made of. Plain numbers are whole; floats are marked, as `1` would not say which it is.
 */
export type AttributeValue =
  | number
  | string
  | readonly number[]
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | TensorProto;

/** Attribute name → value. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** The attributes of a node to be. Throws a TypeError for a plain number that is not whole. */
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
    `Cannot set the attribute ${name} as plain numbers must be whole, and floats { float: x }: ` +
      `current value is ${value}`,
  );
}

/** The attribute of a node, or `undefined`. */
export function attributeOf(node: NodeProto, name: string): AttributeProto | undefined {
  return node.attribute.find((each) => each.name === name);
}

/** A whole number among the attributes, or what holds without it. */
export function intAttribute(node: NodeProto, name: string, otherwise: number): number {
  const found = attributeOf(node, name);
  return found === undefined ? otherwise : Number(found.i);
}

/** A text among the attributes, or what holds without it. */
export function textAttribute(node: NodeProto, name: string, otherwise: string): string {
  const found = attributeOf(node, name);
  return found === undefined ? otherwise : decoder.decode(found.s);
}

/** A number among the attributes that need not be whole, or what holds without it. */
export function floatAttribute(node: NodeProto, name: string, otherwise: number): number {
  const found = attributeOf(node, name);
  return found === undefined ? otherwise : found.f;
}

/** A list of whole numbers among the attributes, or `undefined`. */
export function intsAttribute(node: NodeProto, name: string): readonly number[] | undefined {
  return attributeOf(node, name)?.ints.map(Number);
}

/** A list of numbers among the attributes that need not be whole, or `undefined`. */
export function floatsAttribute(node: NodeProto, name: string): readonly number[] | undefined {
  return attributeOf(node, name)?.floats;
}
