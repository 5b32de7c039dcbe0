import { type Attributes, intAttribute } from "../codec/attributes.ts";
import { codeOf, type ElementType, isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { GraphFacts } from "../infer/facts.ts";
import { unknownFact } from "./unknown_fact.ts";
import { constantShape } from "./shape_of_parts.ts";
import { sumTo } from "./sum_to.ts";

/** Operators that change only the shape of a value. */
const VIEWS: ReadonlySet<string> = new Set(["Reshape", "Squeeze", "Unsqueeze", "Flatten"]);

/** Name of a value, or a number, which becomes a constant of the other operand's type. */
export type WriterOperand = string | number;

/**
 * Adds the nodes of a gradient to a graph. Arguments and results of its methods are names of values in the graph.
 * Types and shapes of new values are inferred as far as those of the graph are known. Equal constants and equal
 * shapes are added once. Operations that change nothing (· 1, + 0, a reshape to the same shape) are not added.
 */
export class GradientWriter {
  /** Graph to which the nodes are added. */
  readonly graph: Graph;
  /** Types and shapes of the graph's values. */
  readonly facts: GraphFacts;
  readonly #constants = new Map<string, string>();
  /** Names of the values that contain a shape as a list, by a key of that shape. */
  readonly #shapes = new Map<string, string>();
  /** Number that all elements of a value equal, by name of the value. */
  readonly #fills = new Map<string, number>();

  /** Creates a writer for a graph. `facts` must belong to the same graph. */
  constructor(graph: Graph, facts: GraphFacts) {
    this.graph = graph;
    this.facts = facts;
  }

  /**
   * Adds a node with one output, and returns the name of the output.
   *
   * @param inputs names, "" for an omitted input, or numbers of the type of the first named input
   */
  make(op: string, inputs: readonly WriterOperand[], attributes: Attributes = {}): string {
    const like = inputs.find((input) => typeof input === "string" && input !== "");
    const names = inputs.map((input) =>
      typeof input === "string" ? input : this.number(input, like as string)
    );
    return this.graph.make(op, names, attributes);
  }

  /** Returns x + y. */
  add(x: string, y: WriterOperand): string {
    return y === 0 ? x : this.make("Add", [x, y]);
  }

  /** Returns x − y. */
  sub(x: WriterOperand, y: WriterOperand): string {
    if (y === 0 && typeof x === "string") return x;
    return this.make("Sub", [x, y]);
  }

  /** Returns x · y. If all elements of a factor are equal, the product is computed with that number. */
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

  /** Returns x / y. */
  div(x: WriterOperand, y: WriterOperand): string {
    if (y === 1 && typeof x === "string") return x;
    const number = typeof x === "string" && typeof y === "number" ? this.fillOf(x) : undefined;
    if (number !== undefined) return this.fill(number / (y as number), x as string);
    return this.make("Div", [x, y]);
  }

  /** Returns −x. */
  neg(x: string): string {
    const number = this.fillOf(x);
    return number === undefined ? this.make("Neg", [x]) : this.fill(-number, x);
  }

  /** Returns x · x. */
  square(x: string): string {
    return this.make("Mul", [x, x]);
  }

  /** Returns x where the condition is true, otherwise y. */
  where(condition: string, x: WriterOperand, y: WriterOperand): string {
    const like = typeof x === "string" ? x : y as string;
    const name = (value: WriterOperand) =>
      typeof value === "string" ? value : this.number(value, like);
    return this.graph.make("Where", [condition, name(x), name(y)]);
  }

  /**
   * Returns x where `by` is positive, −x where it is negative, and 0 where it is 0. WebGPU has no Sign operator.
   */
  signed(x: string, by: string): string {
    const down = this.where(this.make("Less", [by, 0]), this.neg(x), 0);
    return this.where(this.make("Greater", [by, 0]), x, down);
  }

  /** Returns x with its elements converted to a type. */
  cast(x: string, type: ElementType): string {
    return this.typeOf(x) === type ? x : this.graph.make("Cast", [x], { to: codeOf(type) });
  }

  /**
   * Returns the sum of x over axes, which are removed, or get length 1 if `keepsAxes` is true. Without axes, returns
   * x.
   */
  reduceSum(x: string, axes: readonly number[], keepsAxes = false): string {
    if (axes.length === 0) return x;
    // Count axes from the start: onnxruntime 1.30 ignores negative axes if there are no elements.
    const places = axes.map((axis) => axis < 0 ? axis + this.rankOf(x) : axis);
    return this.make("ReduceSum", [x, this.ints(places)], { keepdims: keepsAxes ? 1 : 0 });
  }

  /** Returns x with additional axes of length 1. `axes` are their positions in the result. */
  unsqueeze(x: string, axes: readonly number[]): string {
    return axes.length === 0 ? x : this.#likewise(x, "Unsqueeze", [x, this.ints(axes)]);
  }

  /** Returns x without the given axes, which must have length 1. */
  squeeze(x: string, axes: readonly number[]): string {
    if (axes.length === 0) return x;
    const list = this.ints(axes), sum = this.#summedOver(x, list);
    if (sum !== undefined) return this.make("ReduceSum", [sum, list], { keepdims: 0 });
    return this.#likewise(x, "Squeeze", [x, list]);
  }

  /** Returns x with permuted axes: axis i of the result is axis `order[i]` of x. */
  transpose(x: string, order: readonly number[]): string {
    if (order.every((axis, i) => axis === i)) return x;
    return this.#likewise(x, "Transpose", [x], { perm: order });
  }

  /** Returns x in the shape `shape`: a list of lengths, or the name of a value that contains the lengths. */
  reshape(x: string, shape: string | readonly number[]): string {
    if (typeof shape !== "string") return this.#likewise(x, "Reshape", [x, this.ints(shape)]);
    // A length of 0 means an empty axis, not a copied length.
    return this.#likewise(x, "Reshape", [x, shape], { allowzero: 1 });
  }

  /** Returns x in the shape of another value with the same number of elements. */
  reshapeLike(x: string, like: string): string {
    if (this.isOfShape(x, like)) return x;
    const { shape } = this.facts.of(like);
    return this.reshape(
      x,
      shape && constantShape(this.facts.of(x).shape, shape) || this.shapeOf(like),
    );
  }

  /** Returns x broadcast to the shape of another value. */
  expandLike(x: string, like: string): string {
    if (this.isOfShape(x, like)) return x;
    const number = this.fillOf(x);
    if (number !== undefined) return this.fill(number, like);
    return this.make("Expand", [x, this.shapeOf(like)]);
  }

  /** Returns the matrix product of x and y. */
  matMul(x: string, y: string): string {
    return this.make("MatMul", [x, y]);
  }

  /** Returns a constant int64 tensor with one axis. */
  ints(values: readonly number[]): string {
    return this.#constant(`i64[${values}]`, () => this.graph.constantOf("i64", values));
  }

  /** Returns a constant scalar of the type of another value. */
  number(value: number, like: string): string {
    return this.scalar(value, this.typeOf(like));
  }

  /** Returns a constant scalar of a type. */
  scalar(value: number, type: ElementType): string {
    const key = `${type} ${Object.is(value, -0) ? "-0" : value}`;
    const name = this.#constant(
      key,
      () => this.graph.constantOf(type, value, [], `${type}_${value}`),
    );
    this.#fills.set(name, value);
    return name;
  }

  /** Returns the shape of a value as an int64 tensor with one axis. It is a constant if all lengths are known. */
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

  /** Returns the length of one axis as an int64 tensor with one element. It is a constant if the length is known. */
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

  /** Returns a tensor in the shape of another value, whose elements all equal a number. */
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

  /** Returns the number that all elements of x equal if x was made by `fill` or `scalar`; otherwise `undefined`. */
  fillOf(x: string): number | undefined {
    return this.#fills.get(x);
  }

  /** Returns zeros in the shape of another value. */
  zeros(like: string): string {
    return this.fill(0, like);
  }

  /**
   * Returns x reduced to the shape of `like`, which has been broadcast to the shape of x: sums over the broadcast
   * axes.
   *
   * @throws {RangeError} if the rank of a value is unknown
   */
  sumTo(x: string, like: string): string {
    return sumTo(this, x, like);
  }

  /** Returns whether two values are known to have the same shape. */
  isOfShape(x: string, like: string): boolean {
    const a = this.facts.of(x).shape, b = this.facts.of(like).shape;
    if (a === undefined || b === undefined || a.length !== b.length) return false;
    return a.every((length, axis) => length === b[axis]);
  }

  /**
   * Returns the lengths of all axes of a value: numbers, or the names of variable lengths.
   *
   * @throws {RangeError} if the rank is unknown
   */
  lengthsOf(x: string): readonly (number | string)[] {
    const { shape } = this.facts.of(x);
    if (shape !== undefined) return shape;
    throw unknownFact(this, x, "shape");
  }

  /** Returns the number of axes of a value. Throws a RangeError if it is unknown. */
  rankOf(x: string): number {
    return this.lengthsOf(x).length;
  }

  /**
   * Returns the element type of a value.
   *
   * @throws {RangeError} if it is unknown
   */
  typeOf(x: string): ElementType {
    const { type } = this.facts.of(x);
    if (type !== undefined) return type;
    throw unknownFact(this, x, "type");
  }

  /** Returns whether the elements of a value are floats. Returns true if their type is unknown. */
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

  /**
   * Adds a node that rearranges x, unless an existing value equals its result, and returns the name of the result. If
   * all elements of x are equal, `fillOf` returns the same number for the result.
   */
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

  /**
   * Returns the value that was summed if x is the unused result of a ReduceSum over `axes` that keeps them; otherwise
   * `undefined`.
   */
  #summedOver(x: string, axes: string): string | undefined {
    const node = this.graph.producer(x);
    if (node?.opType !== "ReduceSum" || node.input[1] !== axes) return undefined;
    const isKept = intAttribute(node, "keepdims", 1) === 1 && this.graph.uses(x).length === 0;
    return isKept ? node.input[0] : undefined;
  }

  /**
   * Returns the first value with the shape of `like` on the path from x back through views, beginning with x itself;
   * `undefined` if there is no such value.
   */
  #viewed(x: string, like: string): string | undefined {
    for (let source = x; source !== "";) {
      if (this.isOfShape(source, like)) return source;
      const node = this.graph.producer(source);
      source = node !== undefined && VIEWS.has(node.opType) ? node.input[0]! : "";
    }
    return undefined;
  }

  /** Returns whether broadcasting x with `fill` leaves the shape of x unchanged. */
  #isSpanned(fill: string, x: string): boolean {
    const inner = this.facts.of(fill).shape, outer = this.facts.of(x).shape;
    if (inner === undefined || outer === undefined || inner.length > outer.length) return false;
    const lead = outer.length - inner.length;
    return inner.every((length, axis) => length === 1 || length === outer[lead + axis]);
  }
}
