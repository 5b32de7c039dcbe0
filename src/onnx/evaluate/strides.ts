/**
 * Iteration over tensors with strides.
 *
 * @module
 */

import { allocate } from "./memory.ts";

/** Returns the strides of a contiguous tensor in row-major order. */
export function stridesOf(dims: readonly number[]): number[] {
  const strides = new Array<number>(dims.length);
  let stride = 1;
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= dims[axis]!;
  }
  return strides;
}

/**
 * Processes one row of `n` elements of two tensors: those of the first tensor from index `i` on with stride `s`, and
 * those of the second from index `j` on with stride `t`. `k` is the number of elements in the rows before.
 */
export type Row = (i: number, s: number, j: number, t: number, n: number, k: number) => void;

/** Index of the first element in the first tensor (`i`) and in the second tensor (`j`). */
export interface WalkStart {
  readonly i?: number;
  readonly j?: number;
}

/**
 * Calls `row` for all rows of two tensors of the same shape, in row-major order. `first` and `second` are the strides
 * of the tensors. Axes that are contiguous in both tensors are merged, so that rows become longer.
 */
export function walk(
  dims: readonly number[],
  first: readonly number[],
  second: readonly number[],
  row: Row,
  start: WalkStart = {},
): void {
  const { lengths, s, t } = joined(dims, first, second);
  if (lengths.includes(0)) return;
  const last = lengths.length - 1;
  const n = lengths[last] ?? 1, sRow = s[last] ?? 1, tRow = t[last] ?? 1;
  const at = new Array<number>(Math.max(last, 0)).fill(0);
  let { i = 0, j = 0 } = start, k = 0;
  for (;;) { // hot
    row(i, sRow, j, tRow, n, k);
    k += n;
    let axis = last - 1;
    for (; axis >= 0; axis--) {
      i += s[axis]!;
      j += t[axis]!;
      if (++at[axis]! < lengths[axis]!) break;
      i -= s[axis]! * lengths[axis]!;
      j -= t[axis]! * lengths[axis]!;
      at[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/** Merges adjacent axes that are contiguous in both tensors, and drops axes of length 1. */
function joined(dims: readonly number[], first: readonly number[], second: readonly number[]) {
  const lengths: number[] = [], s: number[] = [], t: number[] = [];
  for (let axis = 0; axis < dims.length; axis++) {
    const length = dims[axis]!, a = first[axis]!, b = second[axis]!, before = lengths.length - 1;
    if (length === 1) continue;
    if (before >= 0 && s[before] === a * length && t[before] === b * length) {
      lengths[before]! *= length;
      s[before] = a;
      t[before] = b;
    } else {
      lengths.push(length);
      s.push(a);
      t.push(b);
    }
  }
  return { lengths, s, t };
}

/** A tensor in an array with any strides. */
export interface Strided {
  readonly data: Float64Array;
  readonly strides: readonly number[];
  /**
   * Position of the first element.
   *
   * @default 0
   */
  readonly offset?: number;
}

/** Copies the elements of a tensor of shape `dims` from one array with strides to another. */
export function copyInto(to: Strided, from: Strided, dims: readonly number[]): void {
  const source = from.data, target = to.data;
  walk(dims, from.strides, to.strides, (i, s, j, t, n) => {
    if (s === 1 && t === 1 && n > 16) target.set(source.subarray(i, i + n), j);
    else for (; n > 0; n--, i += s, j += t) target[j] = source[i]!;
  }, { i: from.offset ?? 0, j: to.offset ?? 0 });
}

/** Copies the elements of a tensor of shape `dims` to a new contiguous array, in row-major order. */
export function gather(from: Strided, dims: readonly number[]): Float64Array {
  let count = 1;
  for (const length of dims) count *= length;
  const data = allocate(count);
  copyInto({ data, strides: stridesOf(dims) }, from, dims);
  return data;
}
