/**
 * Arrays that hold the values of a model's inputs.
 *
 * @module
 */

import {
  type HostFeed,
  TENSOR_ARRAYS,
  type TensorArray,
  type TensorDtype,
} from "../../onnx/session/session_tensor.ts";

/** Conversion of numbers while they are copied. */
export interface Copying {
  /** Number that is subtracted from each number. @default 0 */
  readonly minus?: number;
  /** Factor for each number, applied after the subtraction. @default 1 */
  readonly scale?: number;
  /** Distance between the indices of successive numbers in the target array. @default 1 */
  readonly stride?: number;
}

/** Array with the values of one input, in the type that the model requires. Its memory is reused at each run. */
export class FeedArray {
  readonly #dtype: TensorDtype;
  #room: TensorArray;
  #data: TensorArray;
  /**
   * View of 64-bit integers as 32-bit halves, the lower half at even indices. Writing the halves avoids creating a
   * BigInt for each number. Undefined for other types.
   */
  #halves: Int32Array | undefined;

  /** Creates an empty array. */
  constructor(dtype: TensorDtype) {
    this.#dtype = dtype;
    this.#room = this.#data = new TENSOR_ARRAYS[dtype](0);
    this.#halves = halvesOf(this.#data);
  }

  /** Current values. The array is replaced when `resize` changes its length. */
  get data(): TensorArray {
    return this.#data;
  }

  /** Sets the number of values. Their content is undefined until they are written. */
  resize(length: number): this {
    if (length === this.#data.length) return this;
    // Lists grow by a few entries from step to step. Spare room avoids a new allocation at each growth.
    if (length > this.#room.length) {
      this.#room = new TENSOR_ARRAYS[this.#dtype](Math.ceil(1.125 * length));
    }
    this.#data = this.#room.subarray(0, length);
    this.#halves = halvesOf(this.#data);
    return this;
  }

  /** Copies the numbers `source[from]` to `source[to − 1]` to the array, beginning at index `at`. */
  copy(
    at: number,
    source: ArrayLike<number>,
    from: number,
    to: number,
    { minus = 0, scale = 1, stride = 1 }: Copying = {},
  ): this {
    const isPlain = minus === 0 && scale === 1 && stride === 1;
    if (this.#halves !== undefined) copyHalves(this.#halves, at, source, from, to, minus, stride);
    else if (isPlain && ArrayBuffer.isView(source)) {
      (this.#data as Float32Array).set((source as Float32Array).subarray(from, to), at);
    } else {
      const data = this.#data as Float32Array;
      // hot
      for (let i = from, k = at; i < to; i++, k += stride) data[k] = (source[i]! - minus) * scale;
    }
    return this;
  }

  /**
   * Writes a number at the indices `from`, `from + stride`, `from + 2 stride` and so on, up to but not including
   * `to`.
   */
  fill(value: number, from: number, to: number, stride: number = 1): this {
    const halves = this.#halves;
    // hot
    for (let k = from; k < to; k += stride) {
      if (halves === undefined) (this.#data as Float32Array)[k] = value;
      else halves[2 * k] = value, halves[2 * k + 1] = value < 0 ? -1 : 0;
    }
    return this;
  }

  /** Returns the values as a tensor of the given shape, without copying them. */
  feed(dims: readonly number[]): HostFeed {
    return { data: this.#data, dims };
  }
}

function halvesOf(data: TensorArray): Int32Array | undefined {
  return data instanceof BigInt64Array || data instanceof BigUint64Array
    ? new Int32Array(data.buffer, data.byteOffset, 2 * data.length)
    : undefined;
}

/** Copies 32-bit integers to 64-bit integers. All platforms that run Hooke store the lower half first. */
function copyHalves(
  halves: Int32Array,
  at: number,
  source: ArrayLike<number>,
  from: number,
  to: number,
  minus: number,
  stride: number,
): void {
  // hot
  for (let i = from, k = 2 * at; i < to; i++, k += 2 * stride) {
    const value = source[i]! - minus;
    halves[k] = value;
    halves[k + 1] = value < 0 ? -1 : 0;
  }
}
