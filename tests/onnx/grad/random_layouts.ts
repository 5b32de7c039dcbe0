/**
 * Operators that move numbers about, for random graphs.
 *
 * @module
 */

import {
  along,
  areDistinct,
  count,
  type Known,
  type Making,
  type Operator,
  unary,
} from "./random_making.ts";

const places = ({ random }: Making, count: number, length: number) =>
  Array.from({ length: count }, () => random(2 * length) - length);

const with2 = (list: readonly number[], axis: number, value: number) =>
  list.map((each, i) => i === axis ? value : each);

/** In other shapes. */
export const SHAPING: Readonly<Record<string, Operator>> = {
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

/** By places. */
export const INDEXING: Readonly<Record<string, Operator>> = {
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
    // If an element is written twice without a reduction, the order of the writes is undefined.
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
