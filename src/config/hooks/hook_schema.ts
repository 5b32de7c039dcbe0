/**
 * What a configuration may say of a hook.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { checkKeys } from "../../base/check_options.ts";
import type { Members } from "../../base/object.ts";
import { checkValue, type JsonSchema, wrong } from "../json_schema.ts";
import { camelCase, snakeCase } from "../letter_case.ts";

/**
 * Which list of a configuration a hook belongs to: `"forward"` those that look on as the model runs, `"update"` those
 * that may change gradients, `"other"` all others.
 */
export type HookList = "forward" | "update" | "other";

/** What a configuration may say of a hook. */
export interface HookSchema {
  /** What it does, in a line. */
  readonly description?: string;
  /**
   * The list it belongs to.
   *
   * @default any
   */
  readonly list?: HookList;
  /**
   * Its options, in camelCase; configurations may write them in snake_case, too.
   *
   * @default any, handed on as they are
   */
  readonly options?: Readonly<Record<string, JsonSchema>>;
  /** Options that must be there. */
  readonly required?: readonly string[];
  /** Options of which one at least must be there. */
  readonly anyOf?: readonly string[];
  /** Options that are functions or other things that no JSON can say: for configurations in code. */
  readonly inCode?: readonly string[];
  /** Other names of options → the names above. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/**
 * The options of a hook from a configuration, in camelCase.
 *
 * @throws {TypeError} for an option that there is none of, or of another type, or said twice
 * @throws {RangeError} for one that is out of range
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
    if (name in read) throw new TypeError(wrong(`${path}.${key}`, "said once", value));
    // What no JSON can say, an address or a function, is for the hook to judge.
    const isCode = value instanceof URL || typeof value === "function";
    const schema = isCode ? undefined : options[name];
    if (schema !== undefined) checkValue(schema, value, `${path}.${key}`);
    read[name] = value;
  }
  const missing = required.find((name) => read[name] === undefined);
  if (missing !== undefined) {
    throw new TypeError(wrong(`${path}.${missing}`, "there", undefined));
  }
  if (anyOf.length === 0 || anyOf.some((name) => read[name] !== undefined)) return read;
  throw new TypeError(wrong(path, `an entry with ${anyOf.join(" or ")}`, given));
}

/** What is said of a member that there is not. */
export function unknownMember(path: string, key: string, known: readonly string[]): string {
  const near = didYouMean(camelCase(key), known);
  const asWritten = key.includes("_")
    ? near.replace(/\w+(?=\?$)/, (name) => snakeCase(name))
    : near;
  return `Cannot configure hooks: there must be an option ${path}: there is none; known are ${
    known.join(", ") || "none"
  }${asWritten}`;
}

/** A name as it may be written. */
export function spellings(name: string): ReadonlySet<string> {
  return new Set([name, snakeCase(name)]);
}

/** Members in both spellings, as a JSON Schema has them. */
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

/** Throws a TypeError for a member of a schema that is not known. */
export function checkKeysOfSchema(action: string, schema: HookSchema): void {
  checkKeys(action, "its schema", schema, Object.keys(SCHEMA_MEMBERS));
}
