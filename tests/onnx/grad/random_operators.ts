/**
 * Operators for random graphs: which values each takes, and with which attributes.
 *
 * @module
 */

import type { Attributes } from "../../../src/onnx/attributes.ts";
import { broadcastDims } from "../../../src/onnx/evaluate/broadcast.ts";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";

/** A value of a graph, with what it is for the numbers that are fed. */
export interface Known extends PlainTensor {
  readonly name: string;
}

/** What a random operator is made from. */
export interface Making {
  /** All floats that there are, at least one. */
  readonly values: readonly Known[];
  /** The one to begin with. */
  readonly a: Known;
  /** A whole number from 0 to below n. */
  readonly random: (n: number) => number;
  /** One of a list. */
  pick<T>(list: readonly T[]): T | undefined;
  /** A value of whole numbers. */
  ints(values: readonly number[], dims?: readonly number[]): string;
  /** A constant float. */
  float(value: number): string;
  /** A value of truth values, the shape of another's, some of them up. */
  flags(like: Known): string;
}

/** A node to add, or `undefined` where the values there are do not fit. */
export type Draft = {
  readonly inputs: readonly string[];
  readonly attributes?: Attributes;
  /** @default 1 */
  readonly outputs?: number;
  /** Outputs that are floats. @default all */
  readonly floats?: number;
} | undefined;

/** How far values stay away from kinks, and from one another where the larger one is taken. */
const MARGIN = 0.15;

type Operator = (making: Making) => Draft;

const least = ({ data }: Known) => data.reduce((x, y) => Math.min(x, y), Infinity);
const most = ({ data }: Known) => data.reduce((x, y) => Math.max(x, y), -Infinity);
const nearest = ({ data }: Known, to: number) =>
  data.reduce((d, x) => Math.min(d, Math.abs(x - to)), Infinity);

/** Of one value, where it is in a range. */
const unary =
  (fits: (a: Known) => boolean = () => true, attributes?: Attributes): Operator => ({ a }) =>
    fits(a) ? { inputs: [a.name], ...attributes && { attributes } } : undefined;

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
const areDistinct = ({ data }: Known) => {
  const sorted = data.toSorted();
  return sorted.every((x, i) => i === 0 || x - sorted[i - 1]! > MARGIN);
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

/** Of a value that has axes; it is given one of them. */
const along =
  (operator: (making: Making, axis: number, length: number) => Draft): Operator => (making) => {
    const { a, random } = making;
    if (a.dims.length === 0) return undefined;
    const axis = random(a.dims.length);
    return operator(making, axis, a.dims[axis]!);
  };

const places = ({ random }: Making, count: number, length: number) =>
  Array.from({ length: count }, () => random(2 * length) - length);

const count = (dims: readonly number[]) => dims.reduce((product, n) => product * n, 1);

const with2 = (list: readonly number[], axis: number, value: number) =>
  list.map((each, i) => i === axis ? value : each);

const ARITHMETIC: Readonly<Record<string, Operator>> = {
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

const FUNCTIONS: Readonly<Record<string, Operator>> = {
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

const SHAPING: Readonly<Record<string, Operator>> = {
  Identity: unary(),
  Reshape: ({ a, random, ints }) => {
    const size = count(a.dims);
    const first = [1, 2, 3].filter((n) => size % n === 0).at(random(3)) ?? 1;
    const shape = [[-1], [first, -1], [first, size / first], [1, first, -1], [0, -1]][random(5)]!;
    if (shape[0] === 0 && a.dims.length === 0) return undefined;
    return { inputs: [a.name, ints(shape)] };
  },
  Flatten: along(({ a }, axis) => ({ inputs: [a.name], attributes: { axis } })),
  Transpose: ({ a, random }) => {
    const perm = a.dims.map((_, axis) => axis);
    for (let i = perm.length - 1; i > 0; i--) {
      const j = random(i + 1);
      [perm[i], perm[j]] = [perm[j]!, perm[i]!];
    }
    return perm.length < 2 ? undefined : { inputs: [a.name], attributes: { perm } };
  },
  Unsqueeze: ({ a, random, ints }) =>
    a.dims.length > 2 ? undefined : { inputs: [a.name, ints([random(a.dims.length + 1)])] },
  Squeeze: along(({ a, ints }, axis, length) =>
    length === 1 ? { inputs: [a.name, ints([axis])] } : undefined
  ),
  Expand: ({ a, random, ints }) => {
    const shape = a.dims.map((n) => n === 1 ? 1 + random(3) : n);
    return { inputs: [a.name, ints(shape.length < 3 ? [1 + random(2), ...shape] : shape)] };
  },
  Tile: along(({ a, random, ints }) => ({
    inputs: [a.name, ints(a.dims.map(() => 1 + random(2)))],
  })),
  Concat: along(({ a, values, pick, random }, axis) => {
    const fits = ({ dims }: Known) => with2(dims, axis, 0).join() === with2(a.dims, axis, 0).join();
    const b = pick(values.filter(fits));
    return b &&
      {
        inputs: random(2) === 0 ? [a.name, b.name] : [b.name, a.name, b.name],
        attributes: { axis },
      };
  }),
  Split: along(({ a, ints }, axis, length) =>
    length === 1
      ? undefined
      : { inputs: [a.name, ints([1, length - 1])], attributes: { axis }, outputs: 2 }
  ),
  Slice: along(({ a, random, ints }, axis, length) => {
    const start = random(length), isBack = random(2) === 0;
    const end = isBack ? -length - 1 : start + 1 + random(length - start);
    return {
      inputs: [
        a.name,
        ints([start]),
        ints([end]),
        ints([axis]),
        ints([isBack ? -1 : 1 + random(2)]),
      ],
    };
  }),
  Pad: along(({ a, random, ints }) => ({
    inputs: [a.name, ints(Array.from({ length: 2 * a.dims.length }, () => random(2)))],
  })),
  CumSum: along(({ a, random, ints }, axis) => ({
    inputs: [a.name, ints([axis], [])],
    attributes: { exclusive: random(2), reverse: random(2) },
  })),
  Trilu: ({ a, random, ints }) =>
    a.dims.length < 2
      ? undefined
      : { inputs: [a.name, ints([random(3) - 1], [])], attributes: { upper: random(2) } },
};

const INDEXING: Readonly<Record<string, Operator>> = {
  Gather: along((making, axis, length) => {
    const { a, random, ints } = making;
    const dims = [[], [2], [3], [2, 1]].slice(
      0,
      a.dims.length > 2 ? 3 : 4,
    )[random(a.dims.length > 2 ? 3 : 4)]!;
    return {
      inputs: [a.name, ints(places(making, count(dims), length), dims)],
      attributes: { axis },
    };
  }),
  GatherElements: along((making, axis, length) => {
    const { a, ints } = making;
    return {
      inputs: [a.name, ints(places(making, count(a.dims), length), a.dims)],
      attributes: { axis },
    };
  }),
  GatherND: along((making) => {
    const { a, ints } = making;
    return { inputs: [a.name, ints(places(making, 3, a.dims[0]!), [3, 1])] };
  }),
  ScatterElements: along((making, axis, length) => {
    const { a, values, pick, ints } = making;
    const updates = pick(values.filter(({ dims }) => dims.join() === a.dims.join()))!;
    const indices = ints(places(making, count(a.dims), length), a.dims);
    return { inputs: [a.name, indices, updates.name], attributes: { axis, reduction: "add" } };
  }),
  ScatterND: along((making) => {
    const { a, values, pick, ints, random } = making;
    const rest = a.dims.slice(1).join();
    const updates = pick(
      values.filter(({ dims }) => dims.length === a.dims.length && dims.slice(1).join() === rest),
    )!;
    const [length] = a.dims, [rows] = updates.dims;
    // What is written twice without a sum is one of the two, nobody says which.
    if (random(2) === 0 && rows! <= length!) {
      const start = random(length!);
      const own = Array.from({ length: rows! }, (_, i) => (start + i) % length!);
      return { inputs: [a.name, ints(own, [rows!, 1]), updates.name] };
    }
    const indices = ints(places(making, rows!, length!), [rows!, 1]);
    return { inputs: [a.name, indices, updates.name], attributes: { reduction: "add" } };
  }),
  TopK: along(({ a, random, ints }, axis, length) =>
    areDistinct(a)
      ? {
        inputs: [a.name, ints([1 + random(length)])],
        attributes: { axis, largest: random(2) },
        outputs: 2,
        floats: 1,
      }
      : undefined
  ),
};

const MATRICES: Readonly<Record<string, Operator>> = {
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

/** Those that shrinking should come to first stand first. */
export const RANDOM_OPERATORS: Readonly<Record<string, Operator>> = {
  ...ARITHMETIC,
  ...FUNCTIONS,
  ...SHAPING,
  ...INDEXING,
  ...MATRICES,
};
