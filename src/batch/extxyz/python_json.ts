/**
 * JSON as Python's `json` writes and reads it: with NaN and infinities.
 *
 * @module
 */

import { DEEPEST, isShallow } from "../../base/nesting.ts";
import { show } from "../../base/show.ts";

/** Where a number is not finite, or what is a text: those are left alone. */
const LITERALS = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;

/** Numbers that JavaScript reads as infinite, and NaN by how it is written: JSON has no word for it. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "Infinity": "1e999",
  "-Infinity": "-1e999",
  "NaN": "1e998",
};

/**
 * What JSON text holds; `NaN`, `Infinity` and `-Infinity` are numbers in it.
 *
 * @throws {SyntaxError} for a text that is no JSON, or nested more than 1000 deep
 */
export function readJson(text: string): unknown {
  const revive = (_: string, value: unknown, at?: { readonly source?: string }) =>
    at?.source === SPELLINGS["NaN"] ? NaN : value;
  if (!isShallow(text)) {
    throw new SyntaxError(
      `Cannot read _JSON as it must be nested at most ${DEEPEST} deep: current text begins with ${
        show(text)
      }`,
    );
  }
  return JSON.parse(text.replace(LITERALS, (literal) => SPELLINGS[literal] ?? literal), revive);
}

/**
 * Returns plain data as JSON text; `undefined` for a function, a bigint, a cycle, an object of a class, and more than
 * 1000 lists in each other.
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
