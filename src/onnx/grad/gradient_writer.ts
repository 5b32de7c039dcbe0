import { type Attributes, intAttribute } from "../codec/attributes.ts";
import { codeOf, type ElementType, isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { Facts } from "../infer/facts.ts";
import { notKnown } from "./not_known.ts";
import { constantShape } from "./shape_of_parts.ts";
import { sumTo } from "./sum_to.ts";

/** Operators that give the same elements in another shape. */
const VIEWS: ReadonlySet<string> = new Set(["Reshape", "Squeeze", "Unsqueeze", "Flatten"]);

/** A value by its name, or a number, which becomes a constant of the other operand's type. */
export type WriterOperand = string | number;

/**
 * Writes the nodes of a gradient into a graph. Values are named by their names in the graph.
 *
 * Types and shapes of what it writes are known as far as those of the graph are. Equal constants and equal shapes are
 * written once, and what changes nothing (· 1, + 0, a reshape to the same shape) not at all.
 */
export class GradientWriter {
  /** What is written into. */
  readonly graph: Graph;
  /** What is known of its values. */
  readonly facts: Facts;
  readonly #constants = new Map<string, string>();
  /** By the lengths along the axes. */
  readonly #shapes = new Map<string, string>();
  /** Values of which all elements are one number. */
  readonly #fills = new Map<string, number>();

  /** Writes into this graph; the facts must be of the same one. */
  constructor(graph: Graph, facts: Facts) {
    this.graph = graph;
    this.facts = facts;
  }

  /**
   * Any operator with one output; answers with the name of what it makes.
   *
   * @param inputs names, "" for one that is left out, or numbers of the type of the first that is named
   */
  make(op: string, inputs: readonly WriterOperand[], attributes: Attributes = {}): string {
    const like = inputs.find((input) => typeof input === "string" && input !== "");
    const names = inputs.map((input) =>
      typeof input === "string" ? input : this.number(input, like as string)
    );
    return this.graph.make(op, names, attributes);
  }

  /** x + y */
  add(x: string, y: WriterOperand): string {
    return y === 0 ? x : this.make("Add", [x, y]);
  }

  /** x − y */
  sub(x: WriterOperand, y: WriterOperand): string {
    if (y === 0 && typeof x === "string") return x;
    return this.make("Sub", [x, y]);
  }

  /** x · y; a factor that is one number everywhere is that number. */
  mul(x: string, y: WriterOperand): string {
    if (typeof y === "string") {
      const right = this.fillOf(y), left = this.fillOf(x);
      if (right !== undefined && this.#isSpanned(y, x)) return this.mul(x, right);
      if (left !== undefined && this.#isSpanned(x, y)) return this.mul(y, left);
      return this.make("Mul", [x, y]);
    }
    if (y === 1) return x;
    if (y === -1) return this.neg(x);
    const number = this.fillOf(x);
    return number === undefined ? this.make("Mul", [x, y]) : this.fill(number * y, x);
  }

  /** x / y */
  div(x: WriterOperand, y: WriterOperand): string {
    if (y === 1 && typeof x === "string") return x;
    const number = typeof x === "string" && typeof y === "number" ? this.fillOf(x) : undefined;
    if (number !== undefined) return this.fill(number / (y as number), x as string);
    return this.make("Div", [x, y]);
  }

  /** −x */
  neg(x: string): string {
    const number = this.fillOf(x);
    return number === undefined ? this.make("Neg", [x]) : this.fill(-number, x);
  }

  /** x · x */
  square(x: string): string {
    return this.make("Mul", [x, x]);
  }

  /** x where the condition holds, y where not. */
  where(condition: string, x: WriterOperand, y: WriterOperand): string {
    const like = typeof x === "string" ? x : y as string;
    const name = (value: WriterOperand) =>
      typeof value === "string" ? value : this.number(value, like);
    return this.graph.make("Where", [condition, name(x), name(y)]);
  }

  /** x where `by` is positive, −x where it is negative, 0 where it is 0. Sign is not among WebGPU's operators. */
  signed(x: string, by: string): string {
    const down = this.where(this.make("Less", [by, 0]), this.neg(x), 0);
    return this.where(this.make("Greater", [by, 0]), x, down);
  }

  /** With elements of another type. */
  cast(x: string, type: ElementType): string {
    return this.typeOf(x) === type ? x : this.graph.make("Cast", [x], { to: codeOf(type) });
  }

  /** Sums over axes, which go or (`keepsAxes`) stay with length 1; none is none. */
  reduceSum(x: string, axes: readonly number[], keepsAxes = false): string {
    if (axes.length === 0) return x;
    // onnxruntime 1.30 leaves axes that are counted from the end where there are no elements.
    const places = axes.map((axis) => axis < 0 ? axis + this.rankOf(x) : axis);
    return this.make("ReduceSum", [x, this.ints(places)], { keepdims: keepsAxes ? 1 : 0 });
  }

  /** With axes of length 1 put in at these places of the result. */
  unsqueeze(x: string, axes: readonly number[]): string {
    return axes.length === 0 ? x : this.#likewise(x, "Unsqueeze", [x, this.ints(axes)]);
  }

  /** Without these axes, which have length 1. */
  squeeze(x: string, axes: readonly number[]): string {
    if (axes.length === 0) return x;
    const list = this.ints(axes), sum = this.#summedOver(x, list);
    if (sum !== undefined) return this.make("ReduceSum", [sum, list], { keepdims: 0 });
    return this.#likewise(x, "Squeeze", [x, list]);
  }

  /** With its axes in another order: axis i of the result is axis `order[i]` of x. */
  transpose(x: string, order: readonly number[]): string {
    if (order.every((axis, i) => axis === i)) return x;
    return this.#likewise(x, "Transpose", [x], { perm: order });
  }

  /** In another shape: the lengths, or the name of a value that has them. */
  reshape(x: string, shape: string | readonly number[]): string {
    if (typeof shape !== "string") return this.#likewise(x, "Reshape", [x, this.ints(shape)]);
    // A length of 0 is one, and copies none.
    return this.#likewise(x, "Reshape", [x, shape], { allowzero: 1 });
  }

  /** In the shape of another value with as many elements. */
  reshapeLike(x: string, like: string): string {
    if (this.isOfShape(x, like)) return x;
    const { shape } = this.facts.of(like);
    return this.reshape(
      x,
      shape && constantShape(this.facts.of(x).shape, shape) || this.shapeOf(like),
    );
  }

  /** Repeated to the shape of another value. */
  expandLike(x: string, like: string): string {
    if (this.isOfShape(x, like)) return x;
    const number = this.fillOf(x);
    if (number !== undefined) return this.fill(number, like);
    return this.make("Expand", [x, this.shapeOf(like)]);
  }

  /** The product of matrices. */
  matMul(x: string, y: string): string {
    return this.make("MatMul", [x, y]);
  }

  /** A list of whole numbers (int64). */
  ints(values: readonly number[]): string {
    return this.#constant(`i64[${values}]`, () => this.graph.constantOf("i64", values));
  }

  /** A single number of another value's type. */
  number(value: number, like: string): string {
    return this.scalar(value, this.typeOf(like));
  }

  /** A single number of a type. */
  scalar(value: number, type: ElementType): string {
    const key = `${type} ${Object.is(value, -0) ? "-0" : value}`;
    const name = this.#constant(
      key,
      () => this.graph.constantOf(type, value, [], `${type}_${value}`),
    );
    this.#fills.set(name, value);
    return name;
  }

  /** The lengths along a value's axes (int64): a constant where they are known. */
  shapeOf(x: string): string {
    const shape = this.facts.of(x).shape;
    if (shape === undefined) return this.make("Shape", [x]);
    const lengths = shape.filter((length) => typeof length === "number");
    if (lengths.length === shape.length) return this.ints(lengths);
    const key = JSON.stringify(shape), known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const name = this.make("Shape", [x]);
    this.#shapes.set(key, name);
    return name;
  }

  /** The length along one axis, as a list of one (int64): a constant where it is known. */
  lengthOf(x: string, axis: number): string {
    const shape = this.facts.of(x).shape;
    const from = axis < 0 ? this.rankOf(x) + axis : axis;
    const length = shape?.[from];
    if (typeof length === "number") return this.ints([length]);
    return this.#constant(
      `length ${from} of ${x}`,
      () => this.make("Shape", [x], { start: from, end: from + 1 }),
    );
  }

  /** One number everywhere, in the shape of another value. */
  fill(value: number, like: string): string {
    const number = this.number(value, like);
    if (this.facts.of(like).shape?.length === 0) return number;
    const shape = this.shapeOf(like);
    const name = this.#constant(
      `${number} over ${shape}`,
      () => this.make("Expand", [number, shape]),
    );
    this.#fills.set(name, value);
    return name;
  }

  /** The number that a value is everywhere, if it is one that was written as such. */
  fillOf(x: string): number | undefined {
    return this.#fills.get(x);
  }

  /** Zeros in the shape of another value. */
  zeros(like: string): string {
    return this.fill(0, like);
  }

  /**
   * Undoes a repetition: sums x over the axes along which `like` was repeated to the shape of x.
   *
   * @throws {RangeError} when it is not known how many axes they have
   */
  sumTo(x: string, like: string): string {
    return sumTo(this, x, like);
  }

  /** Do these have the same shape, for sure? */
  isOfShape(x: string, like: string): boolean {
    const a = this.facts.of(x).shape, b = this.facts.of(like).shape;
    if (a === undefined || b === undefined || a.length !== b.length) return false;
    return a.every((length, axis) => length === b[axis]);
  }

  /**
   * The lengths along its axes: numbers, or names of lengths that are free.
   *
   * @throws {RangeError} when it is not known how many axes it has
   */
  lengthsOf(x: string): readonly (number | string)[] {
    const { shape } = this.facts.of(x);
    if (shape !== undefined) return shape;
    throw notKnown(this, x, "shape");
  }

  /** How many axes it has. Throws a RangeError when that is not known. */
  rankOf(x: string): number {
    return this.lengthsOf(x).length;
  }

  /**
   * The type of its elements.
   *
   * @throws {RangeError} when it is not known
   */
  typeOf(x: string): ElementType {
    const { type } = this.facts.of(x);
    if (type !== undefined) return type;
    throw notKnown(this, x, "type");
  }

  /** Is it made of floats? */
  isFloat(x: string): boolean {
    const { type } = this.facts.of(x);
    return type === undefined || isFloat(type);
  }

  #constant(key: string, write: () => string): string {
    const known = this.#constants.get(key);
    if (known !== undefined) return known;
    const name = write();
    this.#constants.set(key, name);
    return name;
  }

  /** Views of one number everywhere are one number everywhere. */
  #likewise(x: string, op: string, inputs: readonly string[], attributes: Attributes = {}): string {
    const name = this.make(op, inputs, attributes);
    const same = op === "Transpose" ? undefined : this.#viewed(x, name);
    if (same !== undefined) {
      this.graph.remove(this.graph.producer(name)!);
      return same;
    }
    const number = this.fillOf(x);
    if (number !== undefined) this.#fills.set(name, number);
    return name;
  }

  /** What x is the sum of over these axes, which it kept, where nobody else needs it so. */
  #summedOver(x: string, axes: string): string | undefined {
    const node = this.graph.producer(x);
    if (node?.opType !== "ReduceSum" || node.input[1] !== axes) return undefined;
    const isKept = intAttribute(node, "keepdims", 1) === 1 && this.graph.uses(x).length === 0;
    return isKept ? node.input[0] : undefined;
  }

  /** What x is a view of, or x itself, where that has the shape of `like`. */
  #viewed(x: string, like: string): string | undefined {
    for (let source = x; source !== "";) {
      if (this.isOfShape(source, like)) return source;
      const node = this.graph.producer(source);
      source = node !== undefined && VIEWS.has(node.opType) ? node.input[0]! : "";
    }
    return undefined;
  }

  /** Does x, repeated to the shape that both have together, keep its own? */
  #isSpanned(fill: string, x: string): boolean {
    const inner = this.facts.of(fill).shape, outer = this.facts.of(x).shape;
    if (inner === undefined || outer === undefined || inner.length > outer.length) return false;
    const lead = outer.length - inner.length;
    return inner.every((length, axis) => length === 1 || length === outer[lead + axis]);
  }
}
