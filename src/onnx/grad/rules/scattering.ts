import { type Attributes, intAttribute, textAttribute } from "../../codec/attributes.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { GradientRule, Share, Step } from "../rule.ts";

/** The two ways to the elements that are scattered to. */
interface Way {
  /** Scatters updates into a value, with what the node does, or something else, where they meet. */
  scatter(base: string, updates: string, reduction: string): string;
  /** The elements of a value that updates go to. */
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

const scatter: GradientRule = (step, write) => {
  const way = wayOf(step, write), reduction = textAttribute(step.node, "reduction", "none");
  const [data, updates] = (RULES[reduction] ?? extreme)(step, write, way);
  return [data, undefined, updates];
};

type Rule = (step: Step, write: GradientWriter, way: Way) => readonly [Share, Share];

/** What comes back at the places of updates. */
function gathered(write: GradientWriter, way: Way, g: string, updates: string): string {
  const number = write.fillOf(g);
  return number === undefined ? way.gather(g) : write.fill(number, updates);
}

/** What is written over has no part in the result. Indices must all be different, as ONNX wants it. */
const none: Rule = ({ c, g }, write, way) => [
  () => way.scatter(g, write.zeros(c), "none"),
  () => gathered(write, way, g, c),
];

const add: Rule = ({ c, g }, write, way) => [g, () => gathered(write, way, g, c)];

/**
 * Each gets the product of the others, without a division where it could be by zero. Where zeros meet updates, this
 * product is one number for the gradient of the gradient.
 */
const mul: Rule = ({ a, c, g }, write, way) => [
  () => write.mul(g, way.scatter(write.fill(1, a), c, "mul")),
  () => {
    const zeros = write.cast(write.make("Equal", [c, 0]), write.typeOf(c));
    const others = write.add(c, zeros);
    const product = way.gather(write.mul(g, way.scatter(a, others, "mul")));
    const count = way.gather(way.scatter(write.zeros(a), zeros, "add"));
    // All zeros of its place are its own: none, or itself.
    const isFree = write.cast(write.make("Equal", [count, zeros]), write.typeOf(c));
    return write.mul(write.div(product, others), isFree);
  },
];

/** Of equal ones each gets as much. */
const extreme: Rule = ({ a, c, y, g }, write, way) => {
  const type = write.typeOf(a);
  const first = write.cast(write.make("Equal", [a, y]), type);
  const each = write.cast(write.make("Equal", [c, way.gather(y)]), type);
  const part = write.div(g, way.scatter(first, each, "add"));
  return [() => write.mul(part, first), () => write.mul(way.gather(part), each)];
};

const RULES: Readonly<Record<string, Rule>> = { none, add, mul };

/** What is put at places. */
export const SCATTERING: Readonly<Record<string, GradientRule>> = {
  ScatterElements: scatter,
  ScatterND: scatter,
};
