/**
 * The numbers that hooks read: typed arrays with statistics, and rows of atoms and systems.
 *
 * A view shares its memory with the field, so that reading copies nothing. Its prototype stands between it and
 * `Float64Array` and has no `constructor`: indexing, iteration, `Array.from` and `structuredClone` work as for the typed
 * array, and `map` and `slice` return plain ones. There is one prototype per type of array, so that V8 sees one hidden
 * class for each. (Methods on each view instead of a prototype would cost 10 µs per view; this costs 0.5.)
 *
 * @module
 */

import type { Numbers, ReadonlyRows } from "../protocol/context.ts";

/** The place of a field in a batch: a row of `width` numbers for each atom, or for each system. */
export interface Rows {
  /** Name of the field, for messages. */
  readonly field: string;
  /** Numbers in a row. */
  readonly width: number;
  /** True if there is a row per atom, otherwise per system. */
  readonly isPerAtom: boolean;
  /** The first atom of each system, and their number. */
  readonly offsets: ArrayLike<number>;
}

/** Returns the rows of the views that have some. Asked by `atom` and `system` alone, so that views stay plain arrays. */
const ROWS = new WeakMap<object, () => Rows | undefined>();

/** The types of arrays that become views: {@linkcode Numbers}. */
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

/** Returns a view of a typed array with the methods of {@linkcode ReadonlyRows}. It shares its memory. */
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

/** Returns the target of construction for views of a type of array. */
function prototypeOf(type: NewableFunction): NewableFunction {
  let known = PROTOTYPES.get(type) as NewableFunction | undefined;
  if (known !== undefined) return known;
  known = function () {} as unknown as NewableFunction;
  (known as { prototype: object }).prototype = Object.create(type.prototype, METHODS);
  PROTOTYPES.set(type, known);
  return known;
}

/** Returns whether a value is a view already. */
function isReadView(value: object): boolean {
  return (value as { mean?: unknown }).mean === mean;
}

/**
 * Returns a value as hooks read it: a typed array becomes a view, also in a map or a list. Any other value is returned as
 * it is.
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

/** Returns whether a map has a plain typed array. It is a loop, because hooks ask at every step, and it allocates no list. */
function hasPlain(map: ReadonlyMap<unknown, unknown>): boolean {
  for (const item of map.values()) if (isNumbers(item) && !isReadView(item)) return true;
  return false;
}

function isNumbers(value: unknown): value is Numbers {
  return ArrayBuffer.isView(value) && TYPES.includes(value.constructor);
}

// Indexed loops: iterators and `reduce` cost several times as much, and these run where hooks look at every step.

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
  for (let i = 1; i < this.length; i++) least = Math.min(least, this[i]!); // NaN stays, unlike with <
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
      `Cannot read an atom of ${rows.field}: it has values per system, use ${rows.field}.system(${index})`,
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
    `Cannot read by ${of}: the field has no values per atom or per system, use an index`,
  );
}

/** Returns an index from 0, counted from the end if it is negative. */
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
