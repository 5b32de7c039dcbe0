/**
 * Canonical JSON (RFC 8785). Equal values have the same text, so the bytes of the text can be hashed.
 *
 * @module
 */

import { DEEPEST } from "./nesting.ts";
import { showKind } from "./show.ts";
import { isPlain } from "./object.ts";

/**
 * Writes a value as canonical JSON: members sorted by the UTF-16 code units of their names, numbers as ECMAScript
 * writes them (`-0` becomes `0`), and no white space. Use it to hash or compare values. `JSON.parse` reads the text.
 *
 * As in JSON, members that are `undefined` are left out. A typed array becomes an array of its numbers, and a `Date`
 * becomes its ISO text. A value that would be lost or ambiguous is an error.
 *
 * @param value plain data: objects, arrays, strings, finite numbers, booleans, `null`, typed arrays, dates
 * @throws {TypeError} for `NaN` and infinities, bigints, functions, symbols (also as names), cycles, more than 1000
 * levels of nesting, `undefined` other than as a member, lone surrogates, invalid dates, and objects of any other
 * class (`Map`, `Set`, `URL`, custom classes); the message names the path: `value.layers[2].rate`
 *
 * @example
 * ```ts
 * import { canonicalJson } from "@hooke/hooke/config";
 * import { assertEquals } from "@std/assert";
 *
 * const text = canonicalJson({ rate: 1e-3, layers: new Float64Array([64, 32]), note: undefined });
 * assertEquals(text, '{"layers":[64,32],"rate":0.001}');
 * ```
 */
export function canonicalJson(value: unknown): string {
  return canonicalText(value, "value");
}

/** Writes canonical JSON. `root` is the name of the whole value at the start of the paths in error messages. */
export function canonicalText(value: unknown, root: string): string {
  return textOf(value, { root, keys: [], parents: [] });
}

/** List of the values that canonical JSON can hold, for error messages. */
const PLAIN =
  "plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers)";

/** The position in the value that is being written: its path, and the objects that contain it. */
interface Place {
  readonly root: string;
  readonly keys: (string | number)[];
  readonly parents: object[];
}

function textOf(value: unknown, at: Place): string {
  switch (typeof value) {
    case "string":
      return quote(value, at);
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : refuse(at, "a finite number", value);
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "null" : textOfObject(value, at);
    default:
      return refuse(at, PLAIN, value);
  }
}

function textOfObject(value: object, at: Place): string {
  if (value instanceof Date) {
    return Number.isNaN(value.getTime())
      ? refuse(at, "a valid date", value)
      : JSON.stringify(value.toISOString());
  }
  if (at.parents.includes(value)) {
    return refuse(at, "an object that does not contain itself", value);
  }
  if (at.parents.length === DEEPEST) {
    return refuse({ ...at, keys: [] }, `nested at most ${DEEPEST} deep`, value);
  }
  at.parents.push(value);
  const text = isList(value) ? textOfList(value, at) : textOfMembers(value, at);
  at.parents.pop();
  return text;
}

function isList(value: object): value is ArrayLike<unknown> & object {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function textOfList(list: ArrayLike<unknown>, at: Place): string {
  const texts: string[] = [];
  for (let i = 0; i < list.length; i++) texts.push(within(list[i], i, at));
  return `[${texts.join(",")}]`;
}

function textOfMembers(value: object, at: Place): string {
  if (!isPlain(value)) return refuse(at, PLAIN, value);
  const [symbol] = Object.getOwnPropertySymbols(value);
  if (symbol !== undefined) return refuse(at, "an object whose keys are all strings", symbol);
  const texts: string[] = [];
  // Without a comparison function, `sort` compares UTF-16 code units, as RFC 8785 requires.
  for (const name of Object.keys(value).sort()) {
    const member: unknown = (value as Readonly<Record<string, unknown>>)[name];
    if (member !== undefined) texts.push(`${quote(name, at)}:${within(member, name, at)}`);
  }
  return `{${texts.join(",")}}`;
}

function within(value: unknown, key: string | number, at: Place): string {
  at.keys.push(key);
  const text = textOf(value, at);
  at.keys.pop();
  return text;
}

function quote(text: string, at: Place): string {
  return text.isWellFormed()
    ? JSON.stringify(text)
    : refuse(at, "well-formed Unicode without lone surrogates", text);
}

function refuse(at: Place, requirement: string, value: unknown): never {
  throw new TypeError(
    `Cannot write canonical JSON: ${pathOf(at)} must be ${requirement}; got ${showKind(value)}`,
  );
}

function pathOf({ root, keys }: Place): string {
  return root + keys.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
      ? `.${key}`
      : `[${JSON.stringify(key)}]`;
  }).join("");
}
