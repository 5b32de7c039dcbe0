/**
 * The subset of JSON Schema (draft 2020-12) that describes and checks configurations.
 *
 * @module
 */

import { didYouMean } from "../base/did_you_mean.ts";
import { isObject } from "../base/object.ts";
import { show } from "../base/show.ts";

/** A type of JSON values. */
export type JsonType =
  | "array"
  | "boolean"
  | "integer"
  | "null"
  | "number"
  | "object"
  | "string";

/** A JSON Schema with the keywords used here. Their meaning is defined at json-schema.org. */
export interface JsonSchema {
  /** Address of the draft that the schema follows. */
  readonly $schema?: string;
  /** Short title of the value. */
  readonly title?: string;
  /** Description of the value, for readers and editors. */
  readonly description?: string;
  /** Allowed type or types. */
  readonly type?: JsonType | readonly JsonType[];
  /** Allowed values. */
  readonly enum?: readonly unknown[];
  /** The only allowed value. */
  readonly const?: unknown;
  /** Value that applies if the member is missing. */
  readonly default?: unknown;
  /** Examples of values. */
  readonly examples?: readonly unknown[];
  /** Smallest allowed number. */
  readonly minimum?: number;
  /** Largest allowed number. */
  readonly maximum?: number;
  /** Allowed numbers are larger than this. */
  readonly exclusiveMinimum?: number;
  /** Schema of the elements of an array. */
  readonly items?: JsonSchema;
  /** Schemas of the members of an object. */
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** Names of required members of an object. */
  readonly required?: readonly string[];
  /** Schema of all other members; `false` allows no others. */
  readonly additionalProperties?: boolean | JsonSchema;
  /** Schemas of which a value must match at least one. */
  readonly anyOf?: readonly JsonSchema[];
  /** Schemas of which a value must match exactly one. */
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
 * Checks a value by the type, the allowed values and the range of a schema, and the elements of an array by its
 * `items`. Other keywords are ignored. `path` is the path of the value in the configuration.
 *
 * @throws {TypeError} if the value has another type
 * @throws {RangeError} if the value is not one of the allowed ones, or out of range
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

/** Returns the error message for a wrong value of a configuration. */
export function wrong(path: string, requirement: string, value: unknown): string {
  return `Cannot configure hooks: ${path} must be ${requirement}; got ${show(value)}`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const least = minimum === undefined ? [] : [`${minimum} or more`];
  const above = exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`];
  const most = maximum === undefined ? [] : [`at most ${maximum}`];
  return [...least, ...above, ...most].join(" and ");
}
