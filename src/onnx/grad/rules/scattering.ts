import { type Attributes, intAttribute, textAttribute } from "../../codec/attributes.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";

/** Scatter and gather at the indices of a node. */
interface Way {
  /** Adds a node that scatters updates into a value with a reduction, and returns the name of the result. */
  scatter(base: string, updates: string, reduction: string): string;
  /**
   * Adds a node that gathers the elements of a value at the indices of the updates, and returns the name of the
   * result.
   */
  gather(x: string): string;
}

function wayOf({ node, b }: Step, write: GradientWriter): Way {
  const isND = node.opType === "ScatterND";
  const attributes: Attributes = isND ? {} : { axis: intAttribute(node, "axis", 0) };
  return {
    scatter: (base, updates, reduction) =>
      write.make(node.opType, [base, b, updates], { ...attributes, reduction }),
    gather: (x) => write.make(isND ? "GatherND" : "GatherElements", [x, b], attributes),
  };
}

const scatter: OperatorGradient = (step, write) => {
  const way = wayOf(step, write), reduction = textAttribute(step.node, "reduction", "none");
  const [data, updates] = (RULES[reduction] ?? extreme)(step, write, way);
  return [data, undefined, updates];
};

type Rule = (step: Step, write: GradientWriter, way: Way) => readonly [Share, Share];

/** Returns the gradient of the updates: the elements of g at their indices. */
function gathered(write: GradientWriter, way: Way, g: string, updates: string): string {
  const number = write.fillOf(g);
  return number === undefined ? way.gather(g) : write.fill(number, updates);
}

/**
 * Rule without a reduction. Elements that are overwritten do not contribute to the result. Indices must be unique, as
 * ONNX requires.
 */
const none: Rule = ({ c, g }, write, way) => [
  () => way.scatter(g, write.zeros(c), "none"),
  () => gathered(write, way, g, c),
];

const add: Rule = ({ c, g }, write, way) => [g, () => gathered(write, way, g, c)];

/**
 * Rule of the reduction "mul". Each factor gets g times the product of the other factors. To avoid a division by
 * zero, factors of zero are counted and left out of the product. If several factors of one product are zero, second
 * derivatives treat this product as a constant.
 */
const mul: Rule = ({ a, c, g }, write, way) => [
  () => write.mul(g, way.scatter(write.fill(1, a), c, "mul")),
  () => {
    const zeros = write.cast(write.make("Equal", [c, 0]), write.typeOf(c));
    const others = write.add(c, zeros);
    const product = way.gather(write.mul(g, way.scatter(a, others, "mul")));
    const count = way.gather(way.scatter(write.zeros(a), zeros, "add"));
    // The gradient is nonzero only if no other factor is zero: no factor is zero, or the update itself is the
    // only zero.
    const isFree = write.cast(write.make("Equal", [count, zeros]), write.typeOf(c));
    return write.mul(write.div(product, others), isFree);
  },
];

/** Rule of the reductions "max" and "min". Equal extreme elements get equal shares of g. */
const extreme: Rule = ({ a, c, y, g }, write, way) => {
  const type = write.typeOf(a);
  const first = write.cast(write.make("Equal", [a, y]), type);
  const each = write.cast(write.make("Equal", [c, way.gather(y)]), type);
  const part = write.div(g, way.scatter(first, each, "add"));
  return [() => write.mul(part, first), () => write.mul(way.gather(part), each)];
};

const RULES: Readonly<Record<string, Rule>> = { none, add, mul };

/** Rules of scatters. */
export const SCATTERING: Readonly<Record<string, OperatorGradient>> = {
  ScatterElements: scatter,
  ScatterND: scatter,
};
