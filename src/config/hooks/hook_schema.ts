/**
 * Schemas of the options of hooks in configurations.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { checkKeys } from "../../base/check_options.ts";
import type { Members } from "../../base/object.ts";
import { checkValue, type JsonSchema, wrong } from "../json_schema.ts";
import { camelCase, snakeCase } from "../letter_case.ts";

/**
 * List of a configuration that a hook belongs to: `"forward"` for hooks that observe forward passes, `"update"` for
 * hooks that may change gradients, `"other"` for all others.
 */
export type HookList = "forward" | "update" | "other";

/** Schema of a hook in configurations. */
export interface HookSchema {
  /** Description in one line. */
  readonly description?: string;
  /**
   * List that the hook belongs to.
   *
   * @default undefined: any list
   */
  readonly list?: HookList;
  /**
   * Options in camelCase. Configurations may also write them in snake_case.
   *
   * @default undefined: any options, which are not checked
   */
  readonly options?: Readonly<Record<string, JsonSchema>>;
  /** Names of required options. */
  readonly required?: readonly string[];
  /** Names of options of which at least one is required. */
  readonly anyOf?: readonly string[];
  /** Names of options that JSON cannot express, such as functions. Only configurations in code can have them. */
  readonly inCode?: readonly string[];
  /** Map from an alternative name of an option to its name, both in camelCase. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/**
 * Checks the options of a hook in a configuration, and returns them with names in camelCase.
 *
 * @throws {TypeError} if an option is unknown, of the wrong type, missing, or given in both spellings
 * @throws {RangeError} if the value of an option is not allowed
 */
export function readHookOptions(
  { options, required = [], anyOf = [], inCode = [], aliases = {} }: HookSchema,
  given: Members,
  path: string,
): Record<string, unknown> {
  if (options === undefined) return { ...given };
  const known = [...Object.keys(options), ...inCode];
  const read: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const camel = camelCase(key), name = aliases[camel] ?? camel;
    if (!known.includes(name)) {
      const names = [...known, ...Object.keys(aliases)].sort();
      throw new TypeError(unknownMember(`${path}.${key}`, key, names));
    }
    if (name in read) {
      throw new TypeError(
        wrong(`${path}.${key}`, "given once, in camelCase or in snake_case", value),
      );
    }
    // URLs and functions have no schema, so the hook checks them itself.
    const isCode = value instanceof URL || typeof value === "function";
    const schema = isCode ? undefined : options[name];
    if (schema !== undefined) checkValue(schema, value, `${path}.${key}`);
    read[name] = value;
  }
  const missing = required.find((name) => read[name] === undefined);
  if (missing !== undefined) {
    throw new TypeError(`Cannot configure hooks: ${path}.${missing} is required`);
  }
  if (anyOf.length === 0 || anyOf.some((name) => read[name] !== undefined)) return read;
  throw new TypeError(wrong(path, `an object with ${anyOf.join(" or ")}`, given));
}

/** Returns the error message for an unknown option, with the most similar known name. */
export function unknownMember(path: string, key: string, known: readonly string[]): string {
  const near = didYouMean(camelCase(key), known);
  const asWritten = key.includes("_")
    ? near.replace(/\w+(?=\?$)/, (name) => snakeCase(name))
    : near;
  return `Cannot configure hooks: unknown option ${path}; known options are ${
    known.join(", ") || "(none)"
  }${asWritten}`;
}

/** Returns the two spellings of a name: camelCase and snake_case. */
export function spellings(name: string): ReadonlySet<string> {
  return new Set([name, snakeCase(name)]);
}

/** Returns an object with each member under both spellings of its name, for a JSON Schema. */
export function bothSpellings(
  members: Readonly<Record<string, JsonSchema>>,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, schema]) =>
      [...spellings(name)].map((spelling) => [spelling, schema] as const)
    ),
  );
}

const SCHEMA_MEMBERS: Readonly<Record<keyof HookSchema, true>> = {
  description: true,
  list: true,
  options: true,
  required: true,
  anyOf: true,
  inCode: true,
  aliases: true,
};

/** Throws a TypeError for an unknown member of a schema. */
export function checkKeysOfSchema(action: string, schema: HookSchema): void {
  checkKeys(action, "its schema", schema, Object.keys(SCHEMA_MEMBERS));
}
