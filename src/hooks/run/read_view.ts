/**
 * The numbers that hooks read: typed arrays with statistics, and with access to the values of single atoms and
 * systems.
 *
 * A view shares its memory with the field, so that reading copies nothing. Its prototype stands between the view and
 * `Float64Array` and has no `constructor`. So indexing, iteration, `Array.from` and `structuredClone` work as for the
 * typed array, and `map` and `slice` return plain arrays.
 *
 * There is one prototype per array type, so that V8 sees one hidden class for each. With it, a view costs 0.5 µs;
 * methods defined on each view would cost 10 µs.
 *
 * @module
 */

import type { Numbers, ReadonlyRows } from "../protocol/context.ts";

/** The layout of a field in a batch: `width` numbers for each atom, or for each system. */
export interface Rows {
  /** Name of the field, for messages. */
  readonly field: string;
  /** Number of values per atom or per system. */
  readonly width: number;
  /** True if the field has values per atom, false if it has values per system. */
  readonly isPerAtom: boolean;
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly offsets: ArrayLike<number>;
}

/**
 * Maps a view to a function that returns the layout of its field. Only `atom` and `system` look it up, so that views
 * carry no extra properties.
 */
const ROWS = new WeakMap<object, () => Rows | undefined>();

/** The constructors of the array types that become views; see {@linkcode Numbers}. */
const TYPES: readonly unknown[] = [
  Float32Array,
  Float64Array,
  Int8Array,
  Int16Array,
  Int32Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
];
const PROTOTYPES = new WeakMap<object, { readonly prototype: object }>();

/**
 * Returns a view of a typed array, with the methods of {@linkcode ReadonlyRows}. The view shares the memory of the
 * array.
 */
export function readView<T extends Numbers>(
  values: T,
  rows?: () => Rows | undefined,
): T & ReadonlyRows {
  const { buffer, byteOffset, length } = values, type = values.constructor;
  const view = Reflect.construct(type, [buffer, byteOffset, length], prototypeOf(type)) as
    & T
    & ReadonlyRows;
  if (rows !== undefined) ROWS.set(view, rows);
  return view;
}

/**
 * Returns the function to pass to `Reflect.construct` as `newTarget`, so that the new view gets the prototype with
 * the methods of views. Makes the prototype on the first call for an array type.
 */
function prototypeOf(type: NewableFunction): NewableFunction {
  let known = PROTOTYPES.get(type) as NewableFunction | undefined;
  if (known !== undefined) return known;
  known = function () {} as unknown as NewableFunction;
  (known as { prototype: object }).prototype = Object.create(type.prototype, METHODS);
  PROTOTYPES.set(type, known);
  return known;
}

/** Returns whether a value is a view made by `readView`. */
function isReadView(value: object): boolean {
  return (value as { mean?: unknown }).mean === mean;
}

/**
 * Returns a value in the form that hooks read: typed arrays become views, also those in maps and lists. Any other
 * value is returned as it is.
 */
export function asRead(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isReadView(value)) return value;
  if (isNumbers(value)) return readView(value);
  if (value instanceof Map) {
    return hasPlain(value) ? new Map([...value].map(([key, item]) => [key, asRead(item)])) : value;
  }
  if (Array.isArray(value) && value.some(isNumbers)) return value.map(asRead);
  return value;
}

/**
 * Returns whether a map contains a typed array that is not a view. Hooks ask at every step, so it loops without
 * allocating a list.
 */
function hasPlain(map: ReadonlyMap<unknown, unknown>): boolean {
  for (const item of map.values()) if (isNumbers(item) && !isReadView(item)) return true;
  return false;
}

function isNumbers(value: unknown): value is Numbers {
  return ArrayBuffer.isView(value) && TYPES.includes(value.constructor);
}

// These are indexed loops, because hooks call them at every step, and iterators and `reduce` cost several times as much.

function sum(this: Numbers): number {
  let total = 0;
  for (let i = 0; i < this.length; i++) total += this[i]!;
  return total;
}

function mean(this: Numbers): number {
  return sum.call(this) / this.length;
}

function norm(this: Numbers): number {
  let squares = 0;
  for (let i = 0; i < this.length; i++) squares += this[i]! * this[i]!;
  return Math.sqrt(squares);
}

function min(this: Numbers): number {
  let least = this[0] ?? NaN;
  for (let i = 1; i < this.length; i++) least = Math.min(least, this[i]!); // unlike `<`, `Math.min` keeps NaN
  return least;
}

function max(this: Numbers): number {
  let most = this[0] ?? NaN;
  for (let i = 1; i < this.length; i++) most = Math.max(most, this[i]!);
  return most;
}

function atom(this: Numbers, index: number): Numbers {
  const rows = rowsOf(this, "atom");
  if (!rows.isPerAtom) {
    throw new TypeError(
      `Cannot read an atom of ${rows.field}: the field has values per system. Use ${rows.field}.system(${index})`,
    );
  }
  const { width, offsets } = rows, at = placeIn("atom", index, offsets[offsets.length - 1]!);
  return part(this, at * width, (at + 1) * width, { ...rows, offsets: [0, 1] });
}

function system(this: Numbers, index: number): Numbers {
  const rows = rowsOf(this, "system"), { width, isPerAtom, offsets } = rows;
  const at = placeIn("system", index, offsets.length - 1);
  const [from, to] = isPerAtom ? [offsets[at]!, offsets[at + 1]!] : [at, at + 1];
  return part(this, from * width, to * width, { ...rows, offsets: [0, to - from] });
}

function part(values: Numbers, from: number, to: number, rows: Rows): Numbers {
  return readView(values.subarray(from, to), () => rows);
}

function rowsOf(values: Numbers, of: "atom" | "system"): Rows {
  const rows = ROWS.get(values)?.();
  if (rows !== undefined) return rows;
  throw new TypeError(
    `Cannot read by ${of}: the field has no values per atom or per system. Use an index`,
  );
}

/**
 * Converts an index into `count` elements, which counts from the end if it is negative, to an index from 0. Throws a
 * RangeError if the index is out of range.
 */
function placeIn(what: string, index: number, count: number): number {
  const at = index < 0 ? index + count : index;
  if (Number.isInteger(at) && at >= 0 && at < count) return at;
  const last = count - 1;
  throw new RangeError(`${what} must be an integer from ${-count} to ${last}; got ${index}`);
}

const METHODS: PropertyDescriptorMap = Object.fromEntries(
  Object.entries({ mean, sum, norm, min, max, atom, system }).map(([name, value]) => [
    name,
    { value, writable: true, configurable: true },
  ]),
);
