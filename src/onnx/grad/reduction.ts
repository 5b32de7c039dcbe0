import { intAttribute, intsAttribute } from "../codec/attributes.ts";
import { showNode } from "../codec/check_model.ts";
import type { GradientWriter } from "./gradient_writer.ts";
import type { Step } from "./rule.ts";

/**
 * Axes over which a node reduces its first input, with methods that convert values between the shapes of output and
 * input. The methods add nodes and return the name of the result.
 */
export class Reduction {
  readonly #step: Step;
  readonly #write: GradientWriter;
  /** Reduced axes in ascending order; `undefined` if they are known only at run time. */
  readonly #axes: readonly number[] | undefined;

  constructor(step: Step, write: GradientWriter) {
    this.#step = step;
    this.#write = write;
    this.#axes = axesOf(step, write);
  }

  /** Reduced axes in ascending order. Throws a RangeError if they are unknown. */
  get axes(): readonly number[] {
    if (this.#axes !== undefined) return this.#axes;
    throw new RangeError(
      `Cannot differentiate ${showNode(this.#step.node)}: its axes must be constant; got ` +
        JSON.stringify(this.#step.b),
    );
  }

  /** Reshapes a value of the output's shape so that the reduced axes have length 1. */
  kept(value: string): string {
    const { node, a, b } = this.#step, write = this.#write;
    if (intAttribute(node, "keepdims", 1) === 1) return value;
    if (this.#axes !== undefined) return write.unsqueeze(value, this.#axes);
    const noop = intAttribute(node, "noop_with_empty_axes", 0);
    const like = write.make("ReduceSum", [a, b], { keepdims: 1, noop_with_empty_axes: noop });
    return write.reshape(value, write.shapeOf(like));
  }

  /** Broadcasts a value of the output's shape to the shape of the input. */
  spread(value: string): string {
    return this.#write.expandLike(this.kept(value), this.#step.a);
  }

  /** Sums a value of the input's shape over the reduced axes, which get length 1. */
  sumKept(value: string): string {
    return this.#write.reduceSum(value, this.axes, true);
  }

  /** Number of input elements per output element; `undefined` if it is unknown. */
  get count(): number | undefined {
    const shape = this.#write.facts.of(this.#step.a).shape;
    if (this.#axes === undefined || shape === undefined) return undefined;
    let count = 1;
    for (const axis of this.#axes) {
      const length = shape[axis];
      if (typeof length !== "number") return undefined;
      count *= length;
    }
    return count;
  }

  /** Divides a value of the output's shape by the number of input elements per output element. */
  divided(value: string): string {
    const write = this.#write, { a, y } = this.#step;
    if (this.count !== undefined) return write.div(value, Math.max(this.count, 1));
    const product = (name: string) =>
      write.make("ReduceProd", [write.make("Shape", [name])], { keepdims: 0 });
    // If the output is empty, avoid a division by zero. No gradient is needed then.
    const outer = write.make("Max", [product(y), write.scalar(1, "i64")]);
    const count = write.make("Div", [product(a), outer]);
    return write.div(value, write.cast(count, write.typeOf(value)));
  }
}

function axesOf({ node, a, b }: Step, write: GradientWriter): readonly number[] | undefined {
  const rank = write.rankOf(a);
  const all = Array.from({ length: rank }, (_, axis) => axis);
  const given = intsAttribute(node, "axes") ??
    (b === "" ? [] : write.facts.of(b).values?.map(Number));
  if (given === undefined || given.some(Number.isNaN)) return undefined;
  if (given.length === 0) return intAttribute(node, "noop_with_empty_axes", 0) === 1 ? [] : all;
  return given.map((axis) => axis < 0 ? axis + rank : axis).sort((x, y) => x - y);
}
