/**
 * Plain data with binary arrays, in the format in which ASE stores values without a column: eight bytes with the
 * position of the JSON, then the arrays, then the JSON.
 *
 * @module
 */

import { dtypeOf, type NumericArray } from "../../batch/fields/fields.ts";
import { readJson, writeJson } from "../../batch/extxyz/python_json.ts";
import { show } from "../../base/show.ts";

/** An array of numbers of any shape. */
export class Table {
  /** Length along each dimension. */
  readonly shape: readonly number[];
  /** Values, the last dimension running fastest. */
  readonly values: ArrayLike<number>;

  constructor(shape: readonly number[], values: ArrayLike<number>) {
    this.shape = shape;
    this.values = values;
  }
}

const MARK = "__ndarray__";
const MARKS: readonly string[] = [MARK, "__complex__", "__ase_objtype__"];
const NAMES = { f64: "float64", f32: "float32", i32: "int32", u32: "uint32", u8: "uint8" } as const;

/** Readers of numpy's types. Values of 8-byte integers must be safe integers. */
const READERS: Readonly<Record<string, readonly [bytes: number, read: Reader]>> = {
  float64: [8, (view, at) => view.getFloat64(at, true)],
  float32: [4, (view, at) => view.getFloat32(at, true)],
  int64: [8, (view, at) => Number(view.getBigInt64(at, true))],
  uint64: [8, (view, at) => Number(view.getBigUint64(at, true))],
  int32: [4, (view, at) => view.getInt32(at, true)],
  uint32: [4, (view, at) => view.getUint32(at, true)],
  int16: [2, (view, at) => view.getInt16(at, true)],
  uint16: [2, (view, at) => view.getUint16(at, true)],
  int8: [1, (view, at) => view.getInt8(at)],
  uint8: [1, (view, at) => view.getUint8(at)],
  bool: [1, (view, at) => view.getUint8(at)],
};
type Reader = (view: DataView, at: number) => number;

/** Returns plain data as bytes. Throws a TypeError that names the member if a value is not plain data. */
export function pack(data: Readonly<Record<string, unknown>>): Uint8Array {
  const parts: Uint8Array[] = [new Uint8Array(8)];
  const members = Object.entries(data).map(([key, value]) => {
    const plain = plainOf(value, parts, []);
    const text = plain === undefined ? undefined : writeJson(plain);
    if (text !== undefined) return `${JSON.stringify(key)}: ${text}`;
    throw new TypeError(
      `Cannot write to an ASE database: info.${key} must be plain data; got ${show(value)}`,
    );
  });
  const start = parts.reduce((sum, part) => sum + part.length, 0);
  new DataView(parts[0]!.buffer).setBigInt64(0, BigInt(start), true);
  parts.push(new TextEncoder().encode(`{${members.join(", ")}}`));
  return joined(parts);
}

/**
 * Copies the arrays in a value to `parts`, and returns the value with references in their place; `undefined` for a
 * value that is not plain data. `around` lists the objects that contain the value, by which cycles are found.
 */
function plainOf(value: unknown, parts: Uint8Array[], around: readonly object[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (around.includes(value)) return undefined;
  if (value instanceof Table) return marked(value.values as NumericArray, value.shape, parts);
  if (dtypeOf(value) !== undefined) {
    const values = value as NumericArray;
    return marked(values, [values.length], parts);
  }
  const inside = [...around, value];
  if (Array.isArray(value)) return value.map((part) => plainOf(part, parts, inside));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  if (MARKS.some((mark) => Object.hasOwn(value, mark))) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, plainOf(part, parts, inside)]),
  );
}

function marked(values: NumericArray, shape: readonly number[], parts: Uint8Array[]): unknown {
  const start = parts.reduce((sum, part) => sum + part.length, 0);
  parts.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice());
  return { [MARK]: [shape, NAMES[dtypeOf(values)!], start] };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Reads packed bytes, or the JSON text that older versions of ASE wrote. Returns an object with a {@linkcode Table}
 * in place of each array.
 *
 * @throws {SyntaxError} if the data is not valid
 */
export function unpack(source: Uint8Array | string): Record<string, unknown> {
  const bytes = typeof source === "string" ? new Uint8Array(0) : source;
  const text = typeof source === "string" ? source : jsonOf(source);
  const data = read(readJson(text), bytes);
  if (data === null) return {};
  if (typeof data === "object" && !Array.isArray(data) && !(data instanceof Table)) {
    return data as Record<string, unknown>;
  }
  throw new SyntaxError(`Cannot read data: it must be an object; got ${show(data)}`);
}

function jsonOf(bytes: Uint8Array): string {
  const start = bytes.length < 8
    ? NaN
    : Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0, true));
  if (!(start >= 8 && start < bytes.length)) {
    throw new SyntaxError(
      `Cannot read data: its first 8 bytes must be the position of its JSON; got ${start} of ${bytes.length} bytes`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start));
  } catch (cause) {
    throw new SyntaxError("Cannot read data: its JSON is not text in UTF-8", {
      cause,
    });
  }
}

function read(value: unknown, bytes: Uint8Array): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => read(part, bytes));
  if (Object.hasOwn(value, MARK)) return readTable((value as Record<string, unknown>)[MARK], bytes);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, read(part, bytes)]));
}

function readTable(mark: unknown, bytes: Uint8Array): Table {
  const [shape, name, place] = Array.isArray(mark) ? mark : [];
  const isShape = Array.isArray(shape) && shape.every((n) => Number.isSafeInteger(n) && n >= 0);
  const count: number = isShape ? shape.reduce((product: number, n: number) => product * n, 1) : -1;
  if (count >= 0 && Array.isArray(place)) return new Table(shape, numbersOf(place, count, mark));
  const [size, reader] = READERS[String(name)] ?? [];
  const isInside = size !== undefined && Number.isSafeInteger(place) && place >= 8 && count >= 0 &&
    place + count * size <= bytes.length;
  if (!isInside) throw badTable(mark);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = Float64Array.from({ length: count }, (_, i) => reader!(view, place + i * size));
  const isWhole = size !== 8 || name === "float64" || values.every(Number.isSafeInteger);
  if (isWhole) return new Table(shape, values);
  throw badTable(mark);
}

function numbersOf(list: readonly unknown[], count: number, mark: unknown): number[] {
  const isNumbers = list.length === count &&
    list.every((x) => typeof x === "number" || typeof x === "boolean");
  if (isNumbers) return list.map(Number);
  throw badTable(mark);
}

function badTable(mark: unknown): SyntaxError {
  return new SyntaxError(
    `Cannot read data: an array must be shape, type and position of numbers; got ${
      JSON.stringify(mark)?.slice(0, 80)
    }`,
  );
}

/** Returns a value with nested lists in place of tables, as `info` stores them. */
export function listsOf(value: unknown): unknown {
  if (value instanceof Table) return nested(Array.from(value.values), value.shape);
  if (Array.isArray(value)) return value.map(listsOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, listsOf(part)]));
}

function nested(values: readonly number[], shape: readonly number[]): unknown {
  if (shape.length === 0) return values[0];
  if (shape.length === 1) return values;
  const size = values.length / shape[0]!;
  return Array.from(
    { length: shape[0]! },
    (_, i) => nested(values.slice(i * size, (i + 1) * size), shape.slice(1)),
  );
}
