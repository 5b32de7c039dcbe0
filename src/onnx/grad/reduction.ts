import { intAttribute, intsAttribute } from "../codec/attributes.ts";
import { showNode } from "../codec/check_model.ts";
import type { GradientWriter } from "./gradient_writer.ts";
import type { Step } from "./rule.ts";

/** A node that reduces its first input along axes: which, and how to come back to the input's shape. */
export class Reduction {
  readonly #step: Step;
  readonly #write: GradientWriter;
  /** In order, counted from the front; `undefined` where they are known only when the graph runs. */
  readonly #axes: readonly number[] | undefined;

  constructor(step: Step, write: GradientWriter) {
    this.#step = step;
    this.#write = write;
    this.#axes = axesOf(step, write);
  }

  /** The axes that go, or stay with length 1. Throws a RangeError where nobody knows them. */
  get axes(): readonly number[] {
    if (this.#axes !== undefined) return this.#axes;
    throw new RangeError(
      `Cannot differentiate ${
        showNode(this.#step.node)
      } as its axes must be constant: current value is ` +
        JSON.stringify(this.#step.b),
    );
  }

  /** A value of the output's shape, with length 1 along the axes. */
  kept(value: string): string {
    const { node, a, b } = this.#step, write = this.#write;
    if (intAttribute(node, "keepdims", 1) === 1) return value;
    if (this.#axes !== undefined) return write.unsqueeze(value, this.#axes);
    const noop = intAttribute(node, "noop_with_empty_axes", 0);
    const like = write.make("ReduceSum", [a, b], { keepdims: 1, noop_with_empty_axes: noop });
    return write.reshape(value, write.shapeOf(like));
  }

  /** A value of the output's shape, repeated to the input's. */
  spread(value: string): string {
    return this.#write.expandLike(this.kept(value), this.#step.a);
  }

  /** A value of the input's shape, summed along the axes, which stay with length 1. */
  sumKept(value: string): string {
    return this.#write.reduceSum(value, this.axes, true);
  }

  /** How many numbers go into one, where that is known. */
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

  /** A value of the output's shape, divided by how many numbers go into one. */
  divided(value: string): string {
    const write = this.#write, { a, y } = this.#step;
    if (this.count !== undefined) return write.div(value, Math.max(this.count, 1));
    const product = (name: string) =>
      write.make("ReduceProd", [write.make("Shape", [name])], { keepdims: 0 });
    // Nothing goes into anything where there is nothing; then there is nobody to send it back to either.
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
