/**
 * JSON with NaN and infinities, as Python's `json` reads and writes it.
 *
 * @module
 */

import { DEEPEST, isShallow } from "../../base/nesting.ts";
import { show } from "../../base/show.ts";

/** Matches strings, so that a name within a string is kept, and the names of numbers that are not finite. */
const LITERALS = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;

/**
 * Replacements for numbers that JSON cannot spell. `1e999` overflows to infinity when JavaScript parses it. `1e998`
 * overflows, too; `readJson` recognizes its source text and returns NaN.
 */
const SPELLINGS: Readonly<Record<string, string>> = {
  "Infinity": "1e999",
  "-Infinity": "-1e999",
  "NaN": "1e998",
};

/**
 * Parses JSON text in which `NaN`, `Infinity` and `-Infinity` are numbers.
 *
 * @throws {SyntaxError} if the text is not JSON, or is nested more than 1000 levels deep
 */
export function readJson(text: string): unknown {
  const revive = (_: string, value: unknown, at?: { readonly source?: string }) =>
    at?.source === SPELLINGS["NaN"] ? NaN : value;
  if (!isShallow(text)) {
    throw new SyntaxError(
      `Cannot read _JSON: it must be nested at most ${DEEPEST} deep; got ${show(text)}`,
    );
  }
  return JSON.parse(text.replace(LITERALS, (literal) => SPELLINGS[literal] ?? literal), revive);
}

/**
 * Returns plain data as JSON text. Returns `undefined` if the data contains a function, a bigint, a cycle, an
 * instance of a class, or more than 1000 levels of nesting.
 */
export function writeJson(value: unknown, around: readonly object[] = []): string | undefined {
  if (value === null || typeof value === "boolean" || typeof value === "string") {
    return JSON.stringify(value);
  }
  if (typeof value === "number") return Object.is(value, -0) ? "-0.0" : String(value);
  if (typeof value !== "object" || around.includes(value) || around.length === DEEPEST) {
    return undefined;
  }
  const inside = [...around, value];
  if (isList(value)) {
    const parts = Array.from(value, (part) => writeJson(part, inside));
    return parts.includes(undefined) ? undefined : `[${parts.join(", ")}]`;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const members = Object.entries(value).map(([key, part]) => {
    const text = writeJson(part, inside);
    return text === undefined ? undefined : `${JSON.stringify(key)}: ${text}`;
  });
  return members.includes(undefined) ? undefined : `{${members.join(", ")}}`;
}

function isList(value: object): value is ArrayLike<unknown> & object {
  return Array.isArray(value) || ArrayBuffer.isView(value) && "length" in value;
}
