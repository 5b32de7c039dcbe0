/**
 * Values in the comment line of extended XYZ, as ASE reads and writes them.
 *
 * @module
 */

import { readJson, writeJson } from "./python_json.ts";
import { show } from "../../base/show.ts";

/** A value of a key: what the text means, or what `_JSON` text holds. */
export type Value = unknown;

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ...["T", "true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["F", "false", "False", "FALSE"].map((word) => [word, false] as const),
]);

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NOT_FINITE = /^([+-]?)(nan|inf|infinity)$/i;

/** The number a word is, or `undefined` for a word that is none. Python's spellings of NaN and infinity count. */
export function readNumber(word: string): number | undefined {
  if (NUMBER.test(word)) return Number(word);
  const [, sign, name] = NOT_FINITE.exec(word) ?? [];
  if (name === undefined) return undefined;
  if (name.toLowerCase() === "nan") return NaN;
  return sign === "-" ? -Infinity : Infinity;
}

/** The boolean a word is, or `undefined`. */
export function readBoolean(word: string): boolean | undefined {
  return TRUTH.get(word);
}

/** A number in the fewest digits that give the same number back. */
export function writeNumber(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** Keys whose values stay text whatever they look like. */
const UNREAD: readonly string[] = ["uid"];

/**
 * What the text of a value means: a number, a boolean, a list of either (separated by blanks or commas), nested
 * lists in brackets, what `_JSON` text holds, or else the text itself.
 *
 * @param key whose value it is: a few stay text
 * @throws {SyntaxError} for `_JSON` text that is no JSON
 */
export function readValue(text: string, key: string): Value {
  if (text.startsWith("_JSON ")) return readJson(text.slice("_JSON ".length));
  if (UNREAD.includes(key.toLowerCase())) return text;
  const values = readWords(text, readNumber) ?? readWords(text, readBoolean);
  if (values !== undefined) return values.length === 1 ? values[0] : values;
  return readRows(text) ?? text;
}

/** Returns the words of a text as `read` has them; `undefined` if there are none, or one that it does not take. */
function readWords<T>(text: string, read: (word: string) => T | undefined): T[] | undefined {
  const values: T[] = [];
  // Word by word: most texts of many words are prose, which the first of them shows.
  for (const [word] of text.matchAll(/[^\s,]+/g)) {
    const value = read(word);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.length === 0 ? undefined : values;
}

/** `[1, 2], [3, 4]`: lists of numbers in brackets, or `undefined`. */
function readRows(text: string): number[][] | undefined {
  const rows: number[][] = [], row = /[\s,]*\[([^[\]]*)\]/y;
  // Row by row: one expression for all rows overflows the stack of the engine on long texts.
  let end = 0;
  for (let match = row.exec(text); match !== null; match = row.exec(text)) {
    const words = match[1]!;
    const numbers = readWords(words, readNumber);
    if (numbers === undefined && /[^\s,]/.test(words)) return undefined;
    rows.push(numbers ?? []);
    end = row.lastIndex;
  }
  const isWhole = rows.length > 0 && /^\s*\[/.test(text) && text.slice(end).trim() === "";
  return isWhole ? rows : undefined;
}

/**
 * The text of a value that {@linkcode readValue} (and ASE) reads as the same value.
 *
 * @throws {TypeError} for a value that has no text: a function, a bigint, a cycle
 */
export function writeValue(value: Value, key: string): string {
  if (UNREAD.includes(key.toLowerCase()) && typeof value !== "string") return jsonText(value, key);
  if (typeof value === "number") return writeNumber(value);
  if (typeof value === "boolean") return value ? "T" : "F";
  if (typeof value === "string") return isPlainText(value, key) ? value : jsonText(value, key);
  const list = ArrayBuffer.isView(value) && "length" in value
    ? Array.from(value as unknown as ArrayLike<unknown>)
    : value;
  if (Array.isArray(list) && list.length > 1) {
    if (list.every((x) => typeof x === "number")) return list.map(writeNumber).join(" ");
    if (list.every((x) => typeof x === "boolean")) return list.map((x) => x ? "T" : "F").join(" ");
  }
  return jsonText(list, key);
}

/** Whether a text comes back as itself: "5", "T F" and "_JSON 1" would not. */
function isPlainText(text: string, key: string): boolean {
  if (/^[\s,]*$|^_JSON |[\n\r]/.test(text)) return false;
  return readValue(text, key) === text;
}

function jsonText(value: unknown, key: string): string {
  const text = writeJson(value);
  if (text !== undefined) return `_JSON ${text}`;
  throw new TypeError(
    `Cannot write extxyz as info.${key} must be plain data: current value is ${show(value)}`,
  );
}

/** A key or value as it stands in the line: in quotes unless it is a simple word. */
export function quote(text: string): string {
  if (/^[\w.+\-/:]+$/.test(text)) return text;
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
