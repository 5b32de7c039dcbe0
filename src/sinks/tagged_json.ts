/**
 * Plain data as JSON that every reader accepts, with tags for values that JSON cannot express.
 *
 * NaN and infinities are `{"$number": "NaN"}`, and typed arrays are `{"$f64": [1, 2]}`. A key of the data
 * that begins with `$` gets another `$`, so that it is not taken for a tag.
 *
 * @module
 */

import { DEEPEST } from "../base/nesting.ts";
import { allocate, dtypeOf, isDType } from "../batch/fields/fields.ts";

/** Returns a number as JSON: `-0` is kept, and a number that is not finite is a text. */
export function numberText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return `"${value}"`;
}

/** Returns the number that is given as a number or as a text of `numberText`; `undefined` for any other value. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return value === "NaN" || value === "Infinity" || value === "-Infinity"
    ? Number(value)
    : undefined;
}

/**
 * Returns plain data as text; `undefined` for a function, a bigint, a cycle, an instance of a class, or data that is
 * nested more than 1000 deep. `around` lists the objects that contain the value, by which cycles are found.
 */
export function writeTagged(value: unknown, around: readonly object[] = []): string | undefined {
  if (value === null || typeof value === "boolean" || typeof value === "string") {
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? numberText(value) : `{"$number":"${value}"}`;
  }
  if (typeof value !== "object" || around.includes(value) || around.length === DEEPEST) {
    return undefined;
  }
  const dtype = dtypeOf(value);
  if (dtype !== undefined) {
    return `{"$${dtype}":[${Array.from(value as ArrayLike<number>, numberText).join(",")}]}`;
  }
  const inside = [...around, value];
  if (Array.isArray(value)) {
    const parts = value.map((part) => writeTagged(part, inside));
    return parts.includes(undefined) ? undefined : `[${parts.join(",")}]`;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const members = Object.entries(value).map(([key, part]) => {
    const text = writeTagged(part, inside);
    return text === undefined ? undefined : `${JSON.stringify(escaped(key))}:${text}`;
  });
  return members.includes(undefined) ? undefined : `{${members.join(",")}}`;
}

/**
 * Restores data that `writeTagged` wrote, from the result of `JSON.parse`. `depth` is the number of objects that
 * contain the value.
 *
 * @throws {SyntaxError} if a tag is not known, or the data is nested more than 1000 deep
 */
export function readTagged(value: unknown, depth: number = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) {
    throw new SyntaxError(
      `Cannot read info: it must be nested at most ${DEEPEST} deep`,
    );
  }
  if (Array.isArray(value)) return value.map((part) => readTagged(part, depth + 1));
  const entries = Object.entries(value);
  const [key, part] = entries[0] ?? [""];
  if (key.startsWith("$") && !key.startsWith("$$")) {
    if (entries.length === 1) return readTag(key.slice(1), part);
    throw badTag(key, value);
  }
  // A key from a file must not reach a prototype: `fromEntries` defines members, it does not assign them.
  return Object.fromEntries(entries.map(([name, one]) => {
    if (name.startsWith("$") && !name.startsWith("$$")) throw badTag(name, value);
    return [name.startsWith("$") ? name.slice(1) : name, readTagged(one, depth + 1)];
  }));
}

function readTag(tag: string, value: unknown): unknown {
  if (tag === "number") {
    const number = numberOf(value);
    if (typeof value === "string" && number !== undefined) return number;
  }
  if (isDType(tag) && Array.isArray(value)) {
    const numbers = value.map(numberOf);
    if (!numbers.includes(undefined)) {
      const array = allocate(tag, numbers.length);
      array.set(numbers as number[]);
      return array;
    }
  }
  throw badTag(`$${tag}`, value);
}

function badTag(key: string, value: unknown): SyntaxError {
  return new SyntaxError(
    `Cannot read info: a key of $ must be one of $number, $f64, $f32, $i32, $u32, $u8; ` +
      `got ${JSON.stringify(key)} with ${JSON.stringify(value).slice(0, 60)}`,
  );
}

function escaped(key: string): string {
  return key.startsWith("$") ? `$${key}` : key;
}
