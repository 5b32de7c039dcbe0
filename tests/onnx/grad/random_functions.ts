/**
 * Operators that compute, for random graphs.
 *
 * @module
 */

import { broadcastDims } from "../../../src/onnx/evaluate/broadcast.ts";
import { along, areDistinct, type Known, MARGIN, type Operator, unary } from "./random_making.ts";

const least = ({ data }: Known) => data.reduce((x, y) => Math.min(x, y), Infinity);
const most = ({ data }: Known) => data.reduce((x, y) => Math.max(x, y), -Infinity);
const nearest = ({ data }: Known, to: number) =>
  data.reduce((d, x) => Math.min(d, Math.abs(x - to)), Infinity);

/** Of two values that broadcast. */
const binary = (fits: (a: Known, b: Known) => boolean = () => true): Operator =>
(
  { a, values, random, pick },
) => {
  const b = pick(values.filter((b) => joins(a, b) && fits(a, b)));
  if (b === undefined) return undefined;
  return { inputs: random(2) === 0 || !fits(b, a) ? [a.name, b.name] : [b.name, a.name] };
};

const joins = (a: Known, b: Known) => (broadcastDims(a.dims, b.dims)?.length ?? 4) <= 3;
const isSmooth = (a: Known) => nearest(a, 0) > MARGIN;

/** Numbers of one are nowhere near those of the other. */
const differ = (a: Known, b: Known) => {
  const all = [...a.data].flatMap((x) => [...b.data].map((y) => Math.abs(x - y)));
  return Math.min(...all) > MARGIN;
};

/** Along some axes, or all. */
const reduction = (fits: (a: Known) => boolean = () => true): Operator => ({ a, random, ints }) => {
  if (!fits(a)) return undefined;
  const keepdims = random(2);
  const axes = a.dims.map((_, axis) => axis).filter(() => random(2) === 0);
  if (axes.length === 0) return { inputs: [a.name], attributes: { keepdims } };
  const signed = axes.map((axis) => random(2) === 0 ? axis : axis - a.dims.length);
  return { inputs: [a.name, ints(signed)], attributes: { keepdims } };
};

/** Of several values, element by element. */
export const ARITHMETIC: Readonly<Record<string, Operator>> = {
  Add: binary(),
  Mul: binary(),
  Sub: binary(),
  Div: ({ a, values, pick }) => {
    const b = pick(values.filter((b) => joins(a, b) && nearest(b, 0) > 0.4));
    return b && { inputs: [a.name, b.name] };
  },
  Neg: unary(),
  Pow: ({ a, values, pick, random, float }) => {
    if (random(2) === 0) return { inputs: [a.name, float(1 + random(3))] };
    const b = pick(values.filter((b) => joins(a, b)));
    return b && least(a) > 0.3 ? { inputs: [a.name, b.name] } : undefined;
  },
  Sum: ({ a, values, pick }) => {
    const b = pick(values.filter((b) => joins(a, b)));
    return b && { inputs: [a.name, b.name, a.name] };
  },
  Max: binary(differ),
  Min: binary(differ),
  Where: ({ a, values, pick, flags }) => {
    const b = pick(values.filter((b) => joins(a, b)));
    return b && { inputs: [flags(a), a.name, b.name] };
  },
  Clip: ({ a, float }) =>
    nearest(a, -0.5) > MARGIN && nearest(a, 0.8) > MARGIN
      ? { inputs: [a.name, float(-0.5), float(0.8)] }
      : undefined,
};

/** Of one value. */
export const FUNCTIONS: Readonly<Record<string, Operator>> = {
  Sin: unary(),
  Cos: unary(),
  Tanh: unary(),
  Sigmoid: unary(),
  Softplus: unary(),
  Erf: unary(),
  Atan: unary(),
  Mish: unary(),
  Exp: unary((a) => most(a) < 1.5),
  Log: unary((a) => least(a) > 0.3),
  Sqrt: unary((a) => least(a) > 0.3),
  Reciprocal: unary((a) => nearest(a, 0) > 0.4),
  Asin: unary((a) => nearest(a, 0) < Infinity && most(a) < 0.8 && least(a) > -0.8),
  Relu: unary(isSmooth),
  LeakyRelu: unary(isSmooth),
  Elu: unary(isSmooth),
  Abs: unary(isSmooth),
  Softsign: unary(isSmooth),
  Softmax: along(({ a }, axis) => ({ inputs: [a.name], attributes: { axis } })),
  LogSoftmax: along(({ a }, axis) => ({ inputs: [a.name], attributes: { axis } })),
  ReduceSum: reduction(),
  ReduceMean: reduction(),
  ReduceSumSquare: reduction(),
  ReduceLogSumExp: reduction(),
  ReduceL1: reduction(isSmooth),
  ReduceL2: reduction(isSmooth),
  ReduceProd: reduction(),
  ReduceMax: reduction(areDistinct),
  ReduceMin: reduction(areDistinct),
  LayerNormalization: along(({ a, values, pick }, axis, length) => {
    const rest = a.dims.slice(axis).join();
    const scale = pick(values.filter(({ dims }) => dims.join() === rest));
    if (scale === undefined || length === 1 || !areDistinct(a)) return undefined;
    return { inputs: [a.name, scale.name], attributes: { axis, epsilon: { float: 0.1 } } };
  }),
};

/** Products of matrices. */
export const MATRICES: Readonly<Record<string, Operator>> = {
  MatMul: ({ a, values, pick }) => {
    const fits = (b: Known) =>
      a.dims.length > 0 && b.dims.length > 0 &&
      a.dims.at(-1) === b.dims.at(b.dims.length === 1 ? 0 : -2) &&
      broadcastDims(a.dims.slice(0, -2), b.dims.slice(0, -2)) !== undefined;
    const b = pick(values.filter(fits));
    return b && { inputs: [a.name, b.name] };
  },
  Gemm: ({ a, values, pick, random }) => {
    const transA = random(2), transB = random(2);
    const fits = (b: Known) => b.dims.length === 2 && a.dims[1 - transA] === b.dims[transB];
    const b = a.dims.length === 2 ? pick(values.filter(fits)) : undefined;
    if (b === undefined) return undefined;
    const shape = [a.dims[transA]!, b.dims[1 - transB]!];
    const c = pick(values.filter((c) => broadcastDims(c.dims, shape)?.join() === shape.join()));
    const attributes = { transA, transB, alpha: { float: 0.5 }, beta: { float: 1.25 } };
    return { inputs: c === undefined ? [a.name, b.name] : [a.name, b.name, c.name], attributes };
  },
  Einsum: ({ a, values, pick }) => {
    const b = pick(values.filter((b) => b.dims.length === 2 && b.dims[0] === a.dims.at(-1)));
    return a.dims.length === 0 ? undefined : b && {
      inputs: [a.name, b.name],
      attributes: {
        equation: `${"pqr".slice(3 - a.dims.length)},rs->s${"pqr".slice(3 - a.dims.length, 2)}`,
      },
    };
  },
};
