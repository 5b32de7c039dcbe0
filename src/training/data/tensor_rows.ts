/**
 * Rows of tensors.
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
 * Returns the type of an array's numbers, or `undefined` if tensors do not support it. Truth values are
 * "uint8".
 */
export function dtypeOf(data: unknown): TensorDtype | undefined {
  return DTYPES.find((dtype) => data instanceof TENSOR_ARRAYS[dtype]);
}

/** Zeros, of the type of another array. */
export function zerosLike(data: TensorArray, length: number): TensorArray {
  return new TENSOR_ARRAYS[dtypeOf(data)!](length);
}

/** A tensor with its sizes. */
export interface Sized {
  /** Numbers. */
  readonly data: TensorArray;
  /** Sizes. */
  readonly dims: readonly number[];
}

/**
 * Throws a TypeError if the value is not a tensor, and a RangeError for sizes that its numbers do not
 * have.
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
    `Cannot ${action}: ${what} must have as many numbers as its dims say; got ${length} for ${
      show(dims)
    }`,
  );
}

/** Rows shorter than that, in bytes, are copied number by number: for longer ones `set` is faster. */
const SHORT = 48;

/** Returns some rows of an array in a new one, in the given order. */
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

/** Returns a view of the same memory that makes no BigInt for each number. */
function words(data: TensorArray): Int32Array {
  return isBig(data)
    ? new Int32Array(data.buffer, data.byteOffset, 2 * data.length)
    : data as Int32Array;
}

function isBig(data: TensorArray): data is BigInt64Array | BigUint64Array {
  return data instanceof BigInt64Array || data instanceof BigUint64Array;
}
