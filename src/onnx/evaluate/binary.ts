import { allocate } from "./memory.ts";
import { showNode } from "../codec/check_model.ts";
import type { ElementType } from "../codec/element_type.ts";
import type { NodeProto } from "../codec/messages.ts";
import { broadcastDims, broadcastStrides } from "./broadcast.ts";
import { required } from "./operands.ts";
import type { Evaluate } from "./operator.ts";
import { countOf, type PlainTensor } from "./plain_tensor.ts";
import { isWhole, wrap } from "./operators/rounding.ts";
import { walk } from "./strides.ts";

/**
 * Computes a row of `n` elements of `y`, starting at index `k`. Reads `a` from index `i` on with stride `s`, and `b`
 * from index `j` on with stride `t`. Each operator has a separate loop, so that V8 can inline the operation.
 */
export type BinaryRow = (
  a: Float64Array,
  b: Float64Array,
  y: Float64Array,
  i: number,
  s: number,
  j: number,
  t: number,
  n: number,
  k: number,
) => void;

/** Returns a row function that calls `formula` for each element, which is slower than a separate loop. */
export function rowOf(formula: (a: number, b: number) => number): BinaryRow {
  return (a, b, y, i, s, j, t, n, k) => {
    for (const end = k + n; k < end; k++, i += s, j += t) y[k] = formula(a[i]!, b[j]!);
  };
}

/**
 * Applies a row function to two tensors elementwise, with broadcasting. Throws a RangeError if the shapes cannot be
 * broadcast together.
 */
export function combine(
  node: NodeProto,
  a: PlainTensor,
  b: PlainTensor,
  row: BinaryRow,
  type: ElementType = a.type,
): PlainTensor {
  const dims = broadcastDims(a.dims, b.dims);
  if (dims === undefined) {
    throw new RangeError(
      `Cannot evaluate ${showNode(node)}: the shapes of its inputs must broadcast; ` +
        `got [${a.dims}] and [${b.dims}]`,
    );
  }
  const y = allocate(countOf(dims)), p = a.data, q = b.data;
  walk(
    dims,
    broadcastStrides(a.dims, dims),
    broadcastStrides(b.dims, dims),
    (i, s, j, t, n, k) => row(p, q, y, i, s, j, t, n, k),
  );
  return { type, dims, data: isWhole(type) ? wrap(type, y) : y };
}

/**
 * Creates an operator with two inputs. It applies `whole` to integers and `row` to other types. The result has the
 * type `result`, or that of the first input.
 */
export function binary(row: BinaryRow, whole: BinaryRow = row, result?: ElementType): Evaluate {
  return (inputs, node) => {
    const a = required(inputs, 0, node), b = required(inputs, 1, node);
    return [combine(node, a, b, isWhole(a.type) ? whole : row, result ?? a.type)];
  };
}
