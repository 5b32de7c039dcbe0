/**
 * Random graphs of operators that change shapes, each run while it is made.
 *
 * @module
 */

import type { Attributes } from "../../../src/onnx/codec/attributes.ts";
import { type PlainTensor, wholeNumbers } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { type Graph, UnsupportedNodeError } from "../../../src/onnx/mod.ts";
import { evaluateAll } from "../evaluate/evaluate_op.ts";
import { emptyGraph, fed } from "./inferred.ts";

/** A value of the graph, and what it is for one choice of lengths. */
interface Made {
  readonly name: string;
  readonly tensor: PlainTensor;
}

/** A graph, with all its values. */
export interface RandomGraph {
  readonly graph: Graph;
  readonly made: readonly Made[];
  /** Number of nodes of each operator. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Gives a number from 0 to below `n`. */
type Pick = (n: number) => number;

/** Writes a node from some of the values there are, which may turn out not to fit. */
type Step = (site: Site, pick: Pick) => void;

/** A graph in the making. */
class Site {
  readonly graph: Graph = emptyGraph();
  readonly made: Made[] = [];
  readonly counts: Record<string, number> = {};

  feed(shape: readonly (number | string)[], names: Readonly<Record<string, number>>): void {
    const dims = shape.map((length) => typeof length === "string" ? names[length]! : length);
    const data = Float64Array.from({ length: count(dims) }, (_, i) => i % 7 - 3);
    this.made.push({ name: fed(this.graph, "f32", shape), tensor: { type: "f32", dims, data } });
  }

  list(values: readonly number[]): Made {
    return { name: this.graph.constantOf("i64", values), tensor: wholeNumbers(values) };
  }

  number(value: number): Made {
    const tensor: PlainTensor = { type: "i64", dims: [], data: Float64Array.of(value) };
    return { name: this.graph.constantOf("i64", value), tensor };
  }

  /** Any value of floats. */
  floats(pick: Pick): Made {
    const all = this.made.filter(({ tensor }) => tensor.type === "f32");
    return all[pick(all.length)]!;
  }

  /** Any list of whole numbers, or the shape of something. */
  wholes(pick: Pick): Made {
    const all = this.made.filter(({ tensor }) => tensor.type === "i64" && tensor.dims.length === 1);
    return all[pick(all.length)] ?? this.list([2, 3]);
  }

  /** Puts a node in, unless it cannot be run. */
  add(op: string, inputs: readonly (Made | undefined)[], attributes: Attributes = {}): void {
    // A name is taken not to be 0 where it divides.
    if ((op === "Div" || op === "Mod") && inputs[1]!.tensor.data.includes(0)) return;
    let outputs: readonly PlainTensor[];
    const given = attributes["num_outputs"];
    try {
      outputs = evaluateAll(op, inputs.map((input) => input?.tensor), {
        attributes,
        outputs: typeof given === "number" ? given : op === "TopK" ? 2 : 1,
      });
    } catch (error) {
      if (error instanceof UnsupportedNodeError) throw error;
      return;
    }
    const isFit = outputs.every(({ dims }) =>
      count(dims) <= 2000 && dims.length <= 5 && dims.every(Number.isInteger)
    );
    if (!isFit || (typeof given === "number" && outputs.length !== given)) return;
    const node = this.graph.add(op, inputs.map((input) => input?.name ?? ""), {
      attributes,
      outputs: outputs.length,
    });
    this.counts[op] = (this.counts[op] ?? 0) + 1;
    outputs.forEach((tensor, i) => this.made.push({ name: node.output[i]!, tensor }));
  }
}

function count(dims: readonly number[]): number {
  return dims.reduce((product, length) => product * length, 1);
}

function oneOf<T>(pick: Pick, all: readonly T[]): T {
  return all[pick(all.length)]!;
}

/** A permutation of axes. */
function order(rank: number, pick: Pick): number[] {
  const left = Array.from({ length: rank }, (_, i) => i);
  return Array.from({ length: rank }, () => left.splice(pick(left.length), 1)[0]!);
}

const BOUNDS = [0, 1, 2, 3, 7, -1, -2, -9, 2 ** 31 - 1, -(2 ** 31), Number.MAX_SAFE_INTEGER];

const STEPS: readonly Step[] = [
  (site, pick) =>
    site.add(oneOf(pick, ["Neg", "Relu", "Identity", "Softmax"]), [site.floats(pick)]),
  (site, pick) =>
    site.add(oneOf(pick, ["Add", "Mul", "Max"]), [site.floats(pick), site.floats(pick)]),
  (site, pick) => site.add("Less", [site.floats(pick), site.floats(pick)]),
  (site, pick) => {
    const x = site.floats(pick);
    site.add("Transpose", [x], { perm: order(x.tensor.dims.length, pick) });
  },
  (site, pick) => {
    const lists = [[-1], [0, -1], [-1, 2], [1, -1, 3], [0, 0, -1], [2, -1], [-1, 1]];
    site.add("Reshape", [site.floats(pick), site.list(oneOf(pick, lists))]);
  },
  (site, pick) => site.add("Reshape", [site.floats(pick), site.wholes(pick)], { allowzero: 1 }),
  (site, pick) => site.add("Flatten", [site.floats(pick)], { axis: pick(5) - 2 }),
  (site, pick) => site.add("Unsqueeze", [site.floats(pick), site.list([pick(5) - 2])]),
  (site, pick) => site.add("Squeeze", [site.floats(pick), site.list([pick(4) - 2])]),
  (site, pick) => site.add("Squeeze", [site.floats(pick)]),
  (site, pick) => {
    const axes = oneOf(pick, [[0], [-1], [0, 1], []]);
    const attributes = { keepdims: pick(2), noop_with_empty_axes: pick(2) };
    const op = oneOf(pick, ["ReduceSum", "ReduceL2", "ReduceSumSquare"]);
    site.add(op, [site.floats(pick), site.list(axes)], attributes);
  },
  (site, pick) => {
    site.add("ArgMax", [site.floats(pick)], { axis: pick(4) - 2, keepdims: pick(2) });
  },
  (site, pick) => site.add("Concat", [site.floats(pick), site.floats(pick)], { axis: pick(4) - 2 }),
  (site, pick) => {
    const x = site.floats(pick);
    site.add("Concat", [x, x], { axis: pick(4) - 2 });
  },
  (site, pick) => {
    const cut = [
      oneOf(pick, BOUNDS),
      oneOf(pick, BOUNDS),
      pick(4) - 2,
      oneOf(pick, [1, 2, 3, -1, -2]),
    ];
    const isShape = pick(3) === 0;
    const x = isShape ? site.wholes(pick) : site.floats(pick);
    site.add("Slice", [x, ...cut.map((each, i) => site.list([isShape && i === 2 ? 0 : each]))]);
  },
  (site, pick) => {
    site.add("Split", [site.floats(pick)], { axis: pick(3) - 1, num_outputs: 1 + pick(3) });
  },
  (site, pick) => {
    const x = site.floats(pick), rank = x.tensor.dims.length;
    const pads = site.list(Array.from({ length: 2 * rank }, () => pick(4) - 1));
    site.add("Pad", [x, pads]);
  },
  (site, pick) => {
    const x = site.floats(pick);
    site.add("Tile", [x, site.list(x.tensor.dims.map(() => pick(3)))]);
  },
  (site, pick) => site.add("Expand", [site.floats(pick), site.wholes(pick)]),
  (site, pick) => {
    const places = pick(2) === 0 ? site.number(pick(2)) : site.list([0, -1, pick(2)]);
    site.add("Gather", [site.floats(pick), places], { axis: pick(4) - 2 });
  },
  (site, pick) => site.add("MatMul", [site.floats(pick), site.floats(pick)]),
  (site, pick) => {
    const x = site.floats(pick), y = site.floats(pick);
    const equation = oneOf(pick, [
      "ij,jk->ik",
      "ij,kj",
      "...i,...i->...",
      "ij,ik->ijk",
      "i...->...",
    ]);
    site.add("Einsum", equation.includes(",") ? [x, y] : [x], { equation });
  },
  (site, pick) => {
    const attributes = pick(2) === 0 ? {} : { start: pick(3) - 1, end: pick(4) };
    site.add("Shape", [site.floats(pick)], attributes);
  },
  (site, pick) => site.add("Shape", [site.floats(pick)]),
  (site, pick) => {
    const op = oneOf(pick, ["Add", "Sub", "Mul", "Div", "Max", "Min", "Mod"]);
    const other = pick(2) === 0 ? site.wholes(pick) : site.list([pick(5)]);
    site.add(op, pick(2) === 0 ? [site.wholes(pick), other] : [other, site.wholes(pick)]);
  },
  (site, pick) => site.add("Concat", [site.wholes(pick), site.wholes(pick)], { axis: 0 }),
  (site, pick) => site.add("Gather", [site.wholes(pick), site.list([pick(3) - 1])]),
  (site, pick) => site.add("ReduceProd", [site.wholes(pick)], { keepdims: 1 }),
  (site, pick) => {
    const [a, b] = [site.wholes(pick), site.wholes(pick)];
    site.add("Equal", [a, b]);
    const condition = site.made.at(-1)!;
    if (condition.tensor.type === "bool") site.add("Where", [condition, a, b]);
  },
  (site, pick) => site.add("ConstantOfShape", [site.wholes(pick)]),
  (site, pick) => {
    const [limit] = [site.wholes(pick)];
    if (limit.tensor.dims[0] !== 1) return;
    site.add("Squeeze", [limit]);
    const scalar = site.made.at(-1)!;
    site.add("Range", [site.number(pick(3)), scalar, site.number(1 + pick(3))]);
  },
  (site, pick) => {
    const attributes = {
      kernel_shape: [1 + pick(3)],
      strides: [1 + pick(3)],
      pads: [pick(2), pick(2)],
      ceil_mode: pick(2),
    };
    const x = site.floats(pick), [, , length] = x.tensor.dims;
    // Without windows the operator has no meaning.
    if (x.tensor.dims.length === 3 && length! >= 3) {
      site.add(oneOf(pick, ["MaxPool", "AveragePool"]), [x], attributes);
    }
  },
  (site, pick) => site.add("NonZero", [site.floats(pick)]),
  (site, pick) => site.add("TopK", [site.floats(pick), site.list([1])], { axis: pick(3) - 1 }),
  (site, pick) => {
    const conditions = site.made.filter(({ tensor }) => tensor.type === "bool");
    const condition = conditions[pick(conditions.length)];
    if (condition !== undefined) {
      site.add("Where", [condition, site.floats(pick), site.floats(pick)]);
    }
  },
];

/** A graph of a maximum number of steps, determined by random numbers. */
export function randomGraph(
  choices: readonly number[],
  names: Readonly<Record<string, number>>,
): RandomGraph {
  const site = new Site();
  for (const shape of [["N", 3], ["N"], ["M", 1], [1, "N", 4], ["N", "M"], []]) {
    site.feed(shape, names);
  }
  let at = 0;
  const pick: Pick = (n) => n === 0 ? 0 : (choices[at++ % choices.length] ?? 0) % n;
  const steps = Math.floor(choices.length / 4);
  for (let i = 0; i < steps; i++) oneOf(pick, STEPS)(site, pick);
  return site;
}
