/**
 * Number types of Zarr arrays, and the typed arrays that hold their values.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";

/** Types that are written. */
export type WrittenType = "float64" | "float32" | "int64" | "int32" | "uint32" | "uint8" | "bool";

/** Properties of a number type. */
export interface ValueType {
  /** Size of a value in bytes. */
  readonly size: number;
  /**
   * Returns the values that `bytes` encodes in the byte order of this machine. 64-bit integers become floats, which
   * are exact up to 2⁵³.
   */
  decode(bytes: Uint8Array<ArrayBuffer>): NumericArray;
  /** Smallest and largest value; missing for types of floats. */
  readonly range?: readonly [least: number, largest: number];
}

type View = new (buffer: ArrayBuffer, from: number, length: number) => NumericArray;

function direct(size: number, view: View, range?: readonly [number, number]): ValueType {
  const decode = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>) =>
    new view(buffer, byteOffset, byteLength / size);
  return range === undefined ? { size, decode } : { size, decode, range };
}

/** Returns a type whose values are converted to int32, because no field has a type of this size. */
function widened(
  size: number,
  view: new (buffer: ArrayBuffer, from: number, length: number) => ArrayLike<number>,
  range: readonly [number, number],
): ValueType {
  return {
    size,
    range,
    decode: ({ buffer, byteOffset, byteLength }) =>
      Int32Array.from(new view(buffer, byteOffset, byteLength / size)),
  };
}

function wide(isSigned: boolean): ValueType {
  return {
    size: 8,
    range: isSigned ? [-(2 ** 53), 2 ** 53] : [0, 2 ** 53],
    decode({ buffer, byteOffset, byteLength }) {
      const low = new Uint32Array(buffer, byteOffset, byteLength / 4);
      const high = isSigned ? new Int32Array(buffer, byteOffset, byteLength / 4) : low;
      const values = new Float64Array(byteLength / 8);
      for (let i = 0; i < values.length; i++) {
        values[i] = high[2 * i + 1]! * 4294967296 + low[2 * i]!;
      }
      return values;
    },
  };
}

/** Types that can be read, by their names in Zarr. */
export const VALUE_TYPES: ReadonlyMap<string, ValueType> = new Map([
  ["float64", direct(8, Float64Array)],
  ["float32", direct(4, Float32Array)],
  ["int64", wide(true)],
  ["uint64", wide(false)],
  ["int32", direct(4, Int32Array, [-2147483648, 2147483647])],
  ["uint32", direct(4, Uint32Array, [0, 4294967295])],
  ["int16", widened(2, Int16Array, [-32768, 32767])],
  ["uint16", widened(2, Uint16Array, [0, 65535])],
  ["int8", widened(1, Int8Array, [-128, 127])],
  ["uint8", direct(1, Uint8Array, [0, 255])],
  ["bool", direct(1, Uint8Array, [0, 1])],
]);

/** Reverses the bytes of each value of `size` bytes, in place. */
export function swapBytes(bytes: Uint8Array, size: number): void {
  for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
}
