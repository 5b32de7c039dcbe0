/**
 * Plain data as JSON that every reader takes, with what JSON has no words for.
 *
 * NaN and infinities are `{"$number": "NaN"}`, arrays of numbers with a dtype `{"$f64": [1, 2]}`; what is written as
 * an object with a key of `$…` gets a `$` more, so that nothing is mistaken for these.
 *
 * @module
 */

import { DEEPEST } from "../base/nesting.ts";
import { allocate, dtypeOf, isDType } from "../batch/fields/fields.ts";

/** A number, JSON or not: `-0` stays what it is, and what is not finite is a text. */
export function numberText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return `"${value}"`;
}

/** The number that such a text or number is, or `undefined`. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return value === "NaN" || value === "Infinity" || value === "-Infinity"
    ? Number(value)
    : undefined;
}

/** Returns plain data as text; `undefined` for a function, a bigint, a cycle, an object of a class, too deep a nesting. */
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
 * Returns the value that such a text held, from what `JSON.parse` made of it.
 *
 * @throws {SyntaxError} for an unknown tag, and for more than 1000 lists and objects in each other
 */
export function readTagged(value: unknown, depth: number = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) {
    throw new SyntaxError(
      `Cannot read info: it must be nested at most ${DEEPEST} deep: it is not`,
    );
  }
  if (Array.isArray(value)) return value.map((part) => readTagged(part, depth + 1));
  const entries = Object.entries(value);
  const [key, part] = entries[0] ?? [""];
  if (key.startsWith("$") && !key.startsWith("$$")) {
    if (entries.length === 1) return readTag(key.slice(1), part);
    throw badTag(key, value);
  }
  // A key of a file must not reach a prototype: fromEntries defines, it does not assign.
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
    `Cannot read info: a key of $ must be one of $number, $f64, $f32, $i32, $u32, $u8: ` +
      `current key is ${JSON.stringify(key)} with ${JSON.stringify(value).slice(0, 60)}`,
  );
}

function escaped(key: string): string {
  return key.startsWith("$") ? `$${key}` : key;
}
