/**
 * Access to the rows of tensors.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import {
  countOf,
  type HostFeed,
  TENSOR_ARRAYS,
  type TensorArray,
  type TensorDtype,
} from "../../onnx/session/session_tensor.ts";

const DTYPES = Object.keys(TENSOR_ARRAYS) as TensorDtype[];

/**
 * Returns the element type of a typed array; `undefined` if tensors do not support the array. A Uint8Array is
 * `"uint8"`, also if it holds booleans.
 */
export function dtypeOf(data: unknown): TensorDtype | undefined {
  return DTYPES.find((dtype) => data instanceof TENSOR_ARRAYS[dtype]);
}

/** Returns an array of zeros of the same type as `data`. */
export function zerosLike(data: TensorArray, length: number): TensorArray {
  return new TENSOR_ARRAYS[dtypeOf(data)!](length);
}

/** A tensor with its shape. */
export interface Sized {
  /** Elements in row-major order. */
  readonly data: TensorArray;
  /** Shape of the tensor. */
  readonly dims: readonly number[];
}

/**
 * Returns a tensor with its shape. Throws a TypeError if the value is not a tensor, and a RangeError if its shape
 * does not have as many elements as its data.
 */
export function sized(action: string, what: string, feed: HostFeed): Sized {
  const data: unknown = feed?.data;
  if (dtypeOf(data) === undefined) {
    throw new TypeError(
      `Cannot ${action}: ${what} must be a tensor, { data, dims }, with a typed array; got ${
        show(data === undefined ? feed : data)
      }`,
    );
  }
  const { length } = data as TensorArray;
  const { dims = [length] } = feed;
  const isSizes = Array.isArray(dims) && dims.every((n) => Number.isSafeInteger(n) && n >= 0);
  if (isSizes && countOf(dims) === length) return { data: data as TensorArray, dims };
  throw new RangeError(
    `Cannot ${action}: ${what} must have non-negative integers as dims, whose product is its ${length} numbers; got ${
      show(dims)
    }`,
  );
}

/** Length in bytes below which rows are copied number by number. `set` is faster for longer rows. */
const SHORT = 48;

/** Returns a new array with the given rows of an array, in the given order. A row has `width` elements. */
export function gatherRows(from: TensorArray, width: number, rows: Uint32Array): TensorArray {
  const to = zerosLike(from, rows.length * width);
  if (width * from.BYTES_PER_ELEMENT >= SHORT) {
    for (let r = 0; r < rows.length; r++) {
      const begin = rows[r]! * width;
      (to as Float32Array).set((from as Float32Array).subarray(begin, begin + width), r * width);
    }
    return to;
  }
  const scale = isBig(from) ? 2 : 1;
  copyShort(words(from), words(to), width * scale, rows);
  return to;
}

function copyShort(from: Int32Array, to: Int32Array, width: number, rows: Uint32Array): void {
  // hot
  for (let r = 0, at = 0; r < rows.length; r++) {
    for (let i = rows[r]! * width, end = i + width; i < end; i++) to[at++] = from[i]!;
  }
}

/** Returns a view of 32-bit words on the same memory. Copying them creates no BigInt for each int64. */
function words(data: TensorArray): Int32Array {
  return isBig(data)
    ? new Int32Array(data.buffer, data.byteOffset, 2 * data.length)
    : data as Int32Array;
}

function isBig(data: TensorArray): data is BigInt64Array | BigUint64Array {
  return data instanceof BigInt64Array || data instanceof BigUint64Array;
}
