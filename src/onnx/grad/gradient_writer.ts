import { type Attributes, intAttribute } from "../codec/attributes.ts";
import { codeOf, type ElementType, isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { GraphFacts } from "../infer/facts.ts";
import { unknownFact } from "./unknown_fact.ts";
import { constantShape } from "./shape_of_parts.ts";
import { sumTo } from "./sum_to.ts";

/** Operators that change only the shape of a value. */
const VIEWS: ReadonlySet<string> = new Set(["Reshape", "Squeeze", "Unsqueeze", "Flatten"]);

/** Name of a value, or a number that becomes a constant of the other operand's type. */
export type WriterOperand = string | number;

/**
 * Writes the nodes of a gradient into a graph. Values are referred to by their names in the graph.
 *
 * Types and shapes of the written values are inferred as far as those of the graph are known. Equal constants and
 * equal shapes are written once. Operations that change nothing (· 1, + 0, a reshape to the same shape) are not
 * written at all.
 */
export class GradientWriter {
  /** Graph that is extended. */
  readonly graph: Graph;
  /** Types and shapes of the graph's values. */
  readonly facts: GraphFacts;
  readonly #constants = new Map<string, string>();
  /** Names of the Shape nodes' results, by the shape that they contain. */
  readonly #shapes = new Map<string, string>();
  /** For each value whose elements are all equal, the number that they equal. */
  readonly #fills = new Map<string, number>();

  /** Creates a writer. The facts must belong to the same graph. */
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

  /** Returns x · y. A factor whose elements are all equal is replaced by that number. */
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

  /** Casts elements to another type. */
  cast(x: string, type: ElementType): string {
    return this.typeOf(x) === type ? x : this.graph.make("Cast", [x], { to: codeOf(type) });
  }

  /** Sums over axes, which are removed, or kept with length 1 (`keepsAxes`). Without axes it returns x. */
  reduceSum(x: string, axes: readonly number[], keepsAxes = false): string {
    if (axes.length === 0) return x;
    // Count axes from the start: onnxruntime 1.30 ignores negative axes if there are no elements.
    const places = axes.map((axis) => axis < 0 ? axis + this.rankOf(x) : axis);
    return this.make("ReduceSum", [x, this.ints(places)], { keepdims: keepsAxes ? 1 : 0 });
  }

  /** Inserts axes of length 1 at these positions of the result. */
  unsqueeze(x: string, axes: readonly number[]): string {
    return axes.length === 0 ? x : this.#likewise(x, "Unsqueeze", [x, this.ints(axes)]);
  }

  /** Removes axes of length 1. */
  squeeze(x: string, axes: readonly number[]): string {
    if (axes.length === 0) return x;
    const list = this.ints(axes), sum = this.#summedOver(x, list);
    if (sum !== undefined) return this.make("ReduceSum", [sum, list], { keepdims: 0 });
    return this.#likewise(x, "Squeeze", [x, list]);
  }

  /** Permutes axes: axis i of the result is axis `order[i]` of x. */
  transpose(x: string, order: readonly number[]): string {
    if (order.every((axis, i) => axis === i)) return x;
    return this.#likewise(x, "Transpose", [x], { perm: order });
  }

  /** Reshapes to the given lengths, or to the shape that a value contains. */
  reshape(x: string, shape: string | readonly number[]): string {
    if (typeof shape !== "string") return this.#likewise(x, "Reshape", [x, this.ints(shape)]);
    // A length of 0 means an empty axis, not a copied length.
    return this.#likewise(x, "Reshape", [x, shape], { allowzero: 1 });
  }

  /** Reshapes to the shape of another value with the same number of elements. */
  reshapeLike(x: string, like: string): string {
    if (this.isOfShape(x, like)) return x;
    const { shape } = this.facts.of(like);
    return this.reshape(
      x,
      shape && constantShape(this.facts.of(x).shape, shape) || this.shapeOf(like),
    );
  }

  /** Broadcasts to the shape of another value. */
  expandLike(x: string, like: string): string {
    if (this.isOfShape(x, like)) return x;
    const number = this.fillOf(x);
    if (number !== undefined) return this.fill(number, like);
    return this.make("Expand", [x, this.shapeOf(like)]);
  }

  /** Returns a matrix product. */
  matMul(x: string, y: string): string {
    return this.make("MatMul", [x, y]);
  }

  /** Returns a constant list of integers (int64). */
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

  /** Returns the shape of a value as a list (int64), which is a constant if all lengths are known. */
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

  /** Returns the length of one axis as a list of one number (int64), which is a constant if the length is known. */
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

  /** Returns a tensor of equal numbers in the shape of another value. */
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

  /** Returns the number that all elements of x equal if x was made by `fill` or `scalar`, otherwise `undefined`. */
  fillOf(x: string): number | undefined {
    return this.#fills.get(x);
  }

  /** Returns zeros in the shape of another value. */
  zeros(like: string): string {
    return this.fill(0, like);
  }

  /**
   * Reverses a broadcast: sums x over the axes along which `like` was repeated to the shape of x.
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
   * Returns the lengths of all axes: numbers, or names of variable lengths.
   *
   * @throws {RangeError} if the rank is unknown
   */
  lengthsOf(x: string): readonly (number | string)[] {
    const { shape } = this.facts.of(x);
    if (shape !== undefined) return shape;
    throw unknownFact(this, x, "shape");
  }

  /** Returns the number of axes. Throws a RangeError if it is unknown. */
  rankOf(x: string): number {
    return this.lengthsOf(x).length;
  }

  /**
   * Returns the element type.
   *
   * @throws {RangeError} if it is unknown
   */
  typeOf(x: string): ElementType {
    const { type } = this.facts.of(x);
    if (type !== undefined) return type;
    throw unknownFact(this, x, "type");
  }

  /** Returns whether the elements are floats. True if their type is unknown. */
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
   * Adds a node that rearranges x, unless its result equals an existing value. If all elements of x are equal,
   * `fillOf` knows those of the result, too.
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
   * If x is the unused result of a ReduceSum that keeps these axes, returns the value that it sums; else `undefined`.
   */
  #summedOver(x: string, axes: string): string | undefined {
    const node = this.graph.producer(x);
    if (node?.opType !== "ReduceSum" || node.input[1] !== axes) return undefined;
    const isKept = intAttribute(node, "keepdims", 1) === 1 && this.graph.uses(x).length === 0;
    return isKept ? node.input[0] : undefined;
  }

  /** Goes back from x through views to the first value with the shape of `like`; `undefined` if there is none. */
  #viewed(x: string, like: string): string | undefined {
    for (let source = x; source !== "";) {
      if (this.isOfShape(source, like)) return source;
      const node = this.graph.producer(source);
      source = node !== undefined && VIEWS.has(node.opType) ? node.input[0]! : "";
    }
    return undefined;
  }

  /** Returns whether x keeps its shape when it is broadcast with `fill`. */
  #isSpanned(fill: string, x: string): boolean {
    const inner = this.facts.of(fill).shape, outer = this.facts.of(x).shape;
    if (inner === undefined || outer === undefined || inner.length > outer.length) return false;
    const lead = outer.length - inner.length;
    return inner.every((length, axis) => length === 1 || length === outer[lead + axis]);
  }
}
