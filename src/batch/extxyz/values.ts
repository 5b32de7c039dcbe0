/**
 * Values in the comment line of extended XYZ, as ASE reads and writes them.
 *
 * @module
 */

import { readJson, writeJson } from "./python_json.ts";
import { show } from "../../base/show.ts";

/** The parsed value of a key: a number, a boolean, a text, a list, or any value that JSON can hold. */
export type Value = unknown;

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ...["T", "true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["F", "false", "False", "FALSE"].map((word) => [word, false] as const),
]);

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NOT_FINITE = /^([+-]?)(nan|inf|infinity)$/i;

/**
 * Parses a number, including Python's spellings of NaN and infinity. Returns `undefined` if the word is not a number.
 */
export function readNumber(word: string): number | undefined {
  if (isPlain(word)) {
    const value = Number(word);
    if (!Number.isNaN(value)) return value;
  }
  if (NUMBER.test(word)) return Number(word);
  const [, sign, name] = NOT_FINITE.exec(word) ?? [];
  if (name === undefined) return undefined;
  if (name.toLowerCase() === "nan") return NaN;
  return sign === "-" ? -Infinity : Infinity;
}

/**
 * Returns whether a word has the first two characters and the last one of a decimal number. For such a word, `Number`
 * is strict enough: it would also accept blanks around a number, and 0x10.
 */
function isPlain(word: string): boolean {
  const { length } = word;
  if (length < 2) return length === 1 && isDigit(word.charCodeAt(0));
  const first = word.charCodeAt(0);
  return (isDigit(first) || first === MINUS) && (word.charCodeAt(1) <= NINE) &&
    isDigit(word.charCodeAt(length - 1));
}

const ZERO = "0".charCodeAt(0), NINE = "9".charCodeAt(0), MINUS = "-".charCodeAt(0);

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Parses a boolean such as `T` or `false`. Returns `undefined` if the word is not a boolean. */
export function readBoolean(word: string): boolean | undefined {
  return TRUTH.get(word);
}

/** Writes a number with the fewest digits from which the same number is read. */
export function writeNumber(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** Keys whose values stay text, even if the text looks like a number. */
const UNREAD: readonly string[] = ["uid"];

/**
 * Parses the text of a value: a number, a boolean, a list of numbers or of booleans (separated by blanks or commas),
 * nested lists in brackets, or `_JSON` followed by JSON. Any other text is returned unchanged.
 *
 * @param key the key of the value; the value of `uid` stays text
 * @throws {SyntaxError} if the text after `_JSON` is not JSON
 */
export function readValue(text: string, key: string): Value {
  if (text.startsWith("_JSON ")) return readJson(text.slice("_JSON ".length));
  if (UNREAD.includes(key.toLowerCase())) return text;
  const values = readWords(text, readNumber) ?? readWords(text, readBoolean);
  if (values !== undefined) return values.length === 1 ? values[0] : values;
  return readRows(text) ?? text;
}

/**
 * Parses all words of a text with `read`. Returns `undefined` if the text has no words, or if `read` returns
 * `undefined` for one.
 */
function readWords<T>(text: string, read: (word: string) => T | undefined): T[] | undefined {
  const values: T[] = [], word = /[^\s,]+/g;
  // The loop stops at the first word that `read` rejects, because most texts of many words are prose.
  for (let match = word.exec(text); match !== null; match = word.exec(text)) {
    const value = read(match[0]);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.length === 0 ? undefined : values;
}

/** Parses lists of numbers in brackets, such as `[1, 2], [3, 4]`. Returns `undefined` if the text has another form. */
function readRows(text: string): number[][] | undefined {
  const rows: number[][] = [], row = /[\s,]*\[([^[\]]*)\]/y;
  // Rows are matched one by one. A single expression for all rows overflows the stack of the
  // regular expression engine for long texts.
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
 * Writes a value so that {@linkcode readValue} and ASE read the same value.
 *
 * @throws {TypeError} if the value is not plain data, for example if it contains a function, a bigint or a cycle
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

/** Returns whether `readValue` returns a text unchanged. It converts "5", "T F" and "_JSON 1". */
function isPlainText(text: string, key: string): boolean {
  if (/^[\s,]*$|^_JSON |[\n\r]/.test(text)) return false;
  return readValue(text, key) === text;
}

function jsonText(value: unknown, key: string): string {
  const text = writeJson(value);
  if (text !== undefined) return `_JSON ${text}`;
  throw new TypeError(
    `Cannot write extxyz: info.${key} must be plain data; got ${show(value)}`,
  );
}

/** Returns a key or value for the file: unchanged if it is a simple word, in quotes otherwise. */
export function quote(text: string): string {
  if (/^[\w.+\-/:]+$/.test(text)) return text;
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
