/**
 * Numbers as a model wants them.
 *
 * @module
 */

import {
  type HostFeed,
  TENSOR_ARRAYS,
  type TensorArray,
  type TensorDtype,
} from "../../onnx/session/session_tensor.ts";

/** How numbers are copied. */
export interface Copying {
  /** Taken off each. @default 0 */
  readonly minus?: number;
  /** What each is multiplied by. @default 1 */
  readonly scale?: number;
  /** How far apart they are put. @default 1 */
  readonly stride?: number;
}

/** The memory of one input from run to run, in the type that the model wants. */
export class FeedArray {
  readonly #dtype: TensorDtype;
  #room: TensorArray;
  #data: TensorArray;
  /** The lower halves of 64-bit numbers, at even places, and the upper ones: numbers without a BigInt for each. */
  #halves: Int32Array | undefined;

  /** Empty. */
  constructor(dtype: TensorDtype) {
    this.#dtype = dtype;
    this.#room = this.#data = new TENSOR_ARRAYS[dtype](0);
    this.#halves = halvesOf(this.#data);
  }

  /** The numbers. */
  get data(): TensorArray {
    return this.#data;
  }

  /** Has as many numbers from now on; what they are is left open. */
  resize(length: number): this {
    if (length === this.#data.length) return this;
    // Lists grow by a few from step to step: with some to spare, memory is not made anew each time.
    if (length > this.#room.length) {
      this.#room = new TENSOR_ARRAYS[this.#dtype](Math.ceil(1.125 * length));
    }
    this.#data = this.#room.subarray(0, length);
    this.#halves = halvesOf(this.#data);
    return this;
  }

  /** Puts numbers `from` … `to` of a source at place `at` on. */
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

  /** Puts a number at places `from`, `from + stride`, … before `to`. */
  fill(value: number, from: number, to: number, stride: number = 1): this {
    const halves = this.#halves;
    // hot
    for (let k = from; k < to; k += stride) {
      if (halves === undefined) (this.#data as Float32Array)[k] = value;
      else halves[2 * k] = value, halves[2 * k + 1] = value < 0 ? -1 : 0;
    }
    return this;
  }

  /** The numbers as a tensor. */
  feed(dims: readonly number[]): HostFeed {
    return { data: this.#data, dims };
  }
}

function halvesOf(data: TensorArray): Int32Array | undefined {
  return data instanceof BigInt64Array || data instanceof BigUint64Array
    ? new Int32Array(data.buffer, data.byteOffset, 2 * data.length)
    : undefined;
}

/** Whole numbers of 32 bits as ones of 64: the processors that there are keep the lower half first. */
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
