/**
 * The part of JSON Schema (draft 2020-12) that configurations are described and checked by.
 *
 * @module
 */

import { didYouMean } from "../base/did_you_mean.ts";
import { isObject } from "../base/object.ts";
import { show } from "../base/show.ts";

/** A type of JSON. */
export type JsonType =
  | "array"
  | "boolean"
  | "integer"
  | "null"
  | "number"
  | "object"
  | "string";

/** A JSON Schema, as far as it is used here: see json-schema.org for what each member means. */
export interface JsonSchema {
  /** Which draft this is. */
  readonly $schema?: string;
  /** A title. */
  readonly title?: string;
  /** What it is about. */
  readonly description?: string;
  /** The type, or types. */
  readonly type?: JsonType | readonly JsonType[];
  /** The values that there are. */
  readonly enum?: readonly unknown[];
  /** The one value. */
  readonly const?: unknown;
  /** What it is when it is left out. */
  readonly default?: unknown;
  /** Values that it may have. */
  readonly examples?: readonly unknown[];
  /** No number below. */
  readonly minimum?: number;
  /** No number above. */
  readonly maximum?: number;
  /** Only numbers above. */
  readonly exclusiveMinimum?: number;
  /** What each element of an array is. */
  readonly items?: JsonSchema;
  /** What each member of an object is. */
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** Members that must be there. */
  readonly required?: readonly string[];
  /** What all other members are; `false`: there are none. */
  readonly additionalProperties?: boolean | JsonSchema;
  /** It must be one of these at least. */
  readonly anyOf?: readonly JsonSchema[];
  /** It must be exactly one of these. */
  readonly oneOf?: readonly JsonSchema[];
}

const IS: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === "number",
  object: isObject,
  string: (value) => typeof value === "string",
};

/**
 * Checks one value: type, choice, range, elements. `path` says where in the configuration it stands.
 *
 * @throws {TypeError} for another type
 * @throws {RangeError} for a value that is none of those there are, or out of range
 */
export function checkValue(schema: JsonSchema, value: unknown, path: string): void {
  const { type, items, minimum, maximum, exclusiveMinimum } = schema;
  const types = type === undefined ? [] : [type].flat() as readonly JsonType[];
  if (types.length > 0 && !types.some((each) => IS[each](value))) {
    throw new TypeError(wrong(path, `of type ${types.join(" or ")}`, value));
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const choices = schema.enum.map(String);
    const near = typeof value === "string" ? didYouMean(value, choices) : "";
    throw new RangeError(wrong(path, `one of ${choices.join(", ")}`, value) + near);
  }
  if (typeof value === "number") {
    const isFine = value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity) &&
      value > (exclusiveMinimum ?? -Infinity);
    if (!isFine) throw new RangeError(wrong(path, rangeOf(schema), value));
  }
  if (items === undefined || !Array.isArray(value)) return;
  for (const [i, item] of value.entries()) checkValue(items, item, `${path}[${i}]`);
}

/** What is wrong with a value of a configuration. */
export function wrong(path: string, requirement: string, value: unknown): string {
  return `Cannot configure hooks: ${path} must be ${requirement}; got ${show(value)}`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const least = minimum === undefined ? [] : [`from ${minimum} on`];
  const above = exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`];
  const most = maximum === undefined ? [] : [`up to ${maximum}`];
  return [...least, ...above, ...most].join(", ");
}
