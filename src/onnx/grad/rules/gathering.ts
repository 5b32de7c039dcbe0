import { attributeOf, intAttribute } from "../../codec/attributes.ts";
import { numbersOf } from "../../infer/fact.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";
import { shapeOfParts, type ShapePart } from "../shape_of_parts.ts";

/** Attributes of a scatter that adds updates, also those with equal indices. */
const ADD = { reduction: "add" } as const;

function axisOf({ node, a }: Step, write: GradientWriter, otherwise = 0): number {
  const axis = intAttribute(node, "axis", otherwise);
  return axis < 0 ? axis + write.rankOf(a) : axis;
}

/**
 * Rule of Gather. If the indices are consecutive constants, the gradient is the range g with zeros around it;
 * otherwise g is scattered.
 */
const gather: OperatorGradient = (step, write) => {
  const { a, b, g } = step, axis = axisOf(step, write);
  const run = runOf(write, a, b, axis);
  if (run === undefined) return [scatterAlong(write, { like: a, indices: b, g, axis })];
  const isSingle = write.rankOf(b) === 0;
  const part = () => isSingle ? write.unsqueeze(g, [axis]) : g;
  return [{ axis, ...run, part }];
};

/**
 * Returns the start and the length of consecutive constant indices, such as 4, 5, 6. Returns `undefined` for other
 * indices, or if the length of the axis is unknown.
 */
function runOf(
  write: GradientWriter,
  a: string,
  b: string,
  axis: number,
): { readonly start: number; readonly length: number } | undefined {
  const { facts } = write, places = numbersOf(facts.of(b));
  if (places === undefined || write.rankOf(b) > 1) return undefined;
  const length = write.lengthsOf(a)[axis], [start] = places;
  if (start === undefined || typeof length !== "number") return undefined;
  const isRun = places.every((place, i) => place === start + i);
  if (!isRun || (start < 0 && start + places.length > 0)) return undefined;
  return { start: start < 0 ? start + length : start, length: places.length };
}

interface Along {
  /** Name of the value from which the slices were gathered. */
  readonly like: string;
  /** Name of the indices along the axis. In the result of the Gather, the axes of the indices replace this axis. */
  readonly indices: string;
  readonly g: string;
  readonly axis: number;
}

/** Returns a share that adds slices to the positions from which they were gathered. */
export function scatterAlong(
  write: GradientWriter,
  { like, indices, g, axis }: Along,
): Share {
  const rank = write.rankOf(like);
  if (rank === 1) {
    return {
      into: (base) => {
        const inputs = [base, write.reshape(indices, [-1]), write.reshape(g, [-1])];
        return write.make("ScatterElements", inputs, { axis: 0, ...ADD });
      },
    };
  }
  const count = write.rankOf(indices);
  const rows = () => write.unsqueeze(write.cast(indices, "i64"), [count]);
  // `into` lets several gathers from one tensor, such as the two ends of all edges, add into one buffer instead
  // of summing a tensor each.
  if (axis === 0) return { into: (base) => write.make("ScatterND", [base, rows(), g], ADD) };
  // Scatters are fast only along the first axis, so move the gathered axis to the front.
  const places = Array.from({ length: rank - 1 + count }, (_, i) => i);
  const [before, own, behind] = [
    places.slice(0, axis),
    places.slice(axis, axis + count),
    places.slice(axis + count),
  ];
  const order = Array.from({ length: rank }, (_, i) => i);
  return () => {
    const first = write.transpose(g, [...own, ...before, ...behind]);
    const ahead = [axis, ...order.filter((i) => i !== axis)];
    const zeros = write.transpose(write.zeros(like), ahead);
    const sum = write.make("ScatterND", [zeros, rows(), first], ADD);
    return write.transpose(sum, order.map((i) => ahead.indexOf(i)));
  };
}

const gatherND: OperatorGradient = (step, write) => {
  const { g } = step;
  return [{
    into: (base) => write.make("ScatterND", [base, wholeIndices(step, write), g], ADD),
  }];
};

/**
 * Adds nodes that prepend the indices along the batch axes, which GatherND leaves implicit, and returns the name of
 * the result.
 */
function wholeIndices({ node, b }: Step, write: GradientWriter): string {
  const batch = intAttribute(node, "batch_dims", 0);
  if (batch === 0) return b;
  const rank = write.rankOf(b);
  const parts = Array.from({ length: rank }, (_, axis): ShapePart => ({ of: b, axis }));
  const shape = shapeOfParts(write, parts.with(rank - 1, 1));
  const own = Array.from({ length: batch }, (_, axis) => {
    const scalar = (value: number) => write.number(value, b);
    const count = write.squeeze(write.lengthOf(b, axis), [0]);
    const places = write.make("Range", [scalar(0), count, scalar(1)]);
    const apart = new Array<number>(rank).fill(1).with(axis, -1);
    return write.make("Expand", [write.reshape(places, apart), shape]);
  });
  return write.make("Concat", [...own, b], { axis: rank - 1 });
}

const gatherElements: OperatorGradient = (step, write) => [
  intoElements(write, step.b, step.g, axisOf(step, write)),
];

/** Returns a share that adds elements to the positions from which they were gathered. */
function intoElements(write: GradientWriter, indices: string, g: string, axis: number): Share {
  return {
    into: (base) => write.make("ScatterElements", [base, indices, g], { axis, ...ADD }),
  };
}

/**
 * Rule of TopK. The gradient goes to the elements that the operator selects, even if other elements are equal to
 * them.
 */
const topK: OperatorGradient = (step, write) => {
  const { node, inputs, outputs, g } = step;
  let indices = outputs[1] ?? "";
  if (indices === "") {
    const again = write.graph.add("TopK", inputs, { outputs: 2 });
    again.attribute.push(...node.attribute);
    indices = again.output[1]!;
  }
  return [intoElements(write, indices, g, axisOf(step, write, -1))];
};

/** Rule of Compress, which is a Gather at the positions where the condition is true. */
const compress: OperatorGradient = (step, write) => {
  const { node, a, b, g } = step;
  const indices = write.reshape(write.make("NonZero", [b]), [-1]);
  if (attributeOf(node, "axis") !== undefined) {
    return [scatterAlong(write, { like: a, indices, g, axis: axisOf(step, write) })];
  }
  return [{
    into: (base) => {
      const flat = write.reshape(base, [-1]);
      const sum = write.make("ScatterElements", [flat, indices, g], { axis: 0, ...ADD });
      return write.reshapeLike(sum, a);
    },
  }];
};

/** Rules of operators that select elements by index. */
export const GATHERING: Readonly<Record<string, OperatorGradient>> = {
  Compress: compress,
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherND,
  TopK: topK,
};
