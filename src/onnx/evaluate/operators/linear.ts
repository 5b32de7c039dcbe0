/**
 * Matrix products and determinants.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { floatAttribute, intAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { broadcastData, broadcastDims, broadcastStrides } from "../broadcast.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";
import { wrap } from "./rounding.ts";
import { walk } from "../strides.ts";

/**
 * Adds the product of the m × k matrix in `a` and the k × n matrix in `b` to the m × n matrix in `out`. The matrices
 * begin at the indices `aAt`, `bAt` and `outAt`.
 */
// hot
function addProduct(
  { a, b, out }: { a: Float64Array; b: Float64Array; out: Float64Array },
  { aAt, bAt, outAt }: { aAt: number; bAt: number; outAt: number },
  { m, k, n }: { m: number; k: number; n: number },
): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < k; j++) {
      const factor = a[aAt + i * k + j]!;
      const from = bAt + j * n, to = outAt + i * n;
      for (let l = 0; l < n; l++) out[to + l]! += factor * b[from + l]!;
    }
  }
}

/**
 * Multiplies two tensors as NumPy's matmul does: multiplies the matrices in the last two axes, and broadcasts the
 * axes before them. A vector is a row on the left and a column on the right.
 *
 * @throws {RangeError} if the shapes do not fit
 */
export function matrixProduct(node: NodeProto, a: PlainTensor, b: PlainTensor): PlainTensor {
  const left = a.dims.length === 1 ? [1, ...a.dims] : a.dims;
  const right = b.dims.length === 1 ? [...b.dims, 1] : b.dims;
  const [m, k] = left.slice(-2), [inner, n] = right.slice(-2);
  if (m === undefined || n === undefined || k !== inner) {
    throw refused(
      node,
      "the inner lengths of its matrices must be equal",
      `[${a.dims}] and [${b.dims}]`,
    );
  }
  const leftBatch = left.slice(0, -2), rightBatch = right.slice(0, -2);
  const batch = broadcastDims(leftBatch, rightBatch);
  if (batch === undefined) {
    throw refused(node, "its batch axes must broadcast", `[${a.dims}] and [${b.dims}]`);
  }
  const out = allocate(countOf(batch) * m * n), lengths = { m, k: k!, n };
  const arrays = { a: a.data, b: b.data, out };
  const steps = [leftBatch, rightBatch].map((dims) => broadcastStrides(dims, batch));
  walk(batch, steps[0]!, steps[1]!, (i, s, j, t, matrices, done) => {
    for (const end = done + matrices; done < end; done++, i += s, j += t) {
      addProduct(arrays, { aAt: i * m * k!, bAt: j * k! * n, outAt: done * m * n }, lengths);
    }
  });
  wrap(a.type, out);
  const rows = a.dims.length === 1 ? [] : [m], columns = b.dims.length === 1 ? [] : [n];
  return { type: a.type, dims: [...batch, ...rows, ...columns], data: out };
}

/** Transposes the matrices in the last two axes. A vector is returned unchanged. */
export function transposed({ type, dims, data }: PlainTensor): PlainTensor {
  if (dims.length < 2) return { type, dims, data };
  const rows = dims.at(-2)!, columns = dims.at(-1)!;
  const turned = allocate(data.length);
  for (let at = 0; at < data.length; at += rows * columns) {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) turned[at + j * rows + i] = data[at + i * columns + j]!;
    }
  }
  return { type, dims: [...dims.slice(0, -2), columns, rows], data: turned };
}

const matMul: Evaluate = (inputs, node) => [
  matrixProduct(node, required(inputs, 0, node), required(inputs, 1, node)),
];

const gemm: Evaluate = (inputs, node) => {
  const [a, b] = [required(inputs, 0, node), required(inputs, 1, node)];
  if (a.dims.length !== 2 || b.dims.length !== 2) {
    throw refused(node, "it must multiply two matrices", `[${a.dims}] and [${b.dims}]`);
  }
  const product = matrixProduct(
    node,
    intAttribute(node, "transA", 0) === 0 ? a : transposed(a),
    intAttribute(node, "transB", 0) === 0 ? b : transposed(b),
  );
  const alpha = floatAttribute(node, "alpha", 1);
  if (alpha !== 1) { for (let i = 0; i < product.data.length; i++) product.data[i]! *= alpha; }
  const c = inputs[2];
  if (c === undefined) return [product];
  const { dims, data } = product, beta = floatAttribute(node, "beta", 1);
  if (broadcastDims(c.dims, dims)?.join() !== dims.join()) {
    throw refused(node, `its third input must broadcast to [${dims}]`, `[${c.dims}]`);
  }
  const term = broadcastData(c, dims);
  for (let i = 0; i < data.length; i++) data[i]! += beta * term[i]!;
  wrap(c.type, data);
  return [product];
};

/**
 * Returns the determinant of the n × n matrix that begins at index `at`, by Gaussian elimination with partial
 * pivoting.
 */
function determinant(data: Float64Array, at: number, n: number): number {
  const rows = Array.from({ length: n }, (_, i) => data.slice(at + i * n, at + (i + 1) * n));
  let product = 1;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) {
      if (Math.abs(rows[i]![k]!) > Math.abs(rows[pivot]![k]!)) pivot = i;
    }
    if (pivot !== k) {
      [rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!];
      product = -product;
    }
    const first = rows[k]!;
    product *= first[k]!;
    if (first[k] === 0) return 0;
    for (const row of rows.slice(k + 1)) {
      const factor = row[k]! / first[k]!;
      for (let j = k; j < n; j++) row[j]! -= factor * first[j]!;
    }
  }
  return product;
}

const det: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const n = dims.at(-1);
  if (n === undefined || dims.at(-2) !== n) {
    throw refused(node, "its matrices must be square", `[${dims}]`);
  }
  const batch = dims.slice(0, -2);
  const out = allocate(countOf(batch));
  for (let i = 0; i < out.length; i++) out[i] = determinant(data, i * n * n, n);
  return [{ type, dims: batch, data: out }];
};

/** Implementations of MatMul, Gemm and Det. */
export const LINEAR: Operators = { Det: det, Gemm: gemm, MatMul: matMul };
