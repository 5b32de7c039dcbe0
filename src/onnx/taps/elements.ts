import type { Attributes } from "../codec/attributes.ts";
import { codeOf } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { Shape } from "../codec/value_info.ts";
import { tapName } from "./added_names.ts";

/** Largest finite number of each type. */
const MOST = { f32: 3.4028234663852886e38, f64: Number.MAX_VALUE };

/**
 * Adds formulas over all elements of one tensor to a graph. Formulas share intermediate values. Each member adds the
 * nodes that it needs and returns the name of the result, whose shape is given in brackets.
 */
export class Elements {
  readonly #graph: Graph;
  readonly #tensor: string;
  readonly #shape: Shape | undefined;
  readonly #known = new Map<string, string>();
  /** Element type in which the formulas are computed. */
  readonly type: "f32" | "f64";

  constructor(graph: Graph, tensor: string, shape: Shape | undefined, type: "f32" | "f64") {
    this.#graph = graph;
    this.#tensor = tensor;
    this.#shape = shape;
    this.type = type;
  }

  /** Adds a node, and returns the name of its output. This name contains `part`. */
  make(
    part: string,
    op: string,
    inputs: readonly string[],
    attributes: Attributes = {},
  ): string {
    const name = this.#graph.freshName(tapName(this.#tensor, part));
    return this.#graph.make(op, inputs, attributes, name);
  }

  /** Returns a constant scalar in the type of the computation. */
  number(value: number): string {
    return this.#once(`number ${value}`, () => this.#constant(value, []));
  }

  /** All elements as a tensor with one axis: [n]. */
  get all(): string {
    return this.#once("all", () => {
      const list = this.#graph.constantOf("i64", [-1], [1], tapName(this.#tensor, "list"));
      return this.make("all", "Reshape", [this.#cast(), list]);
    });
  }

  /** Number of elements: [1]. */
  get count(): string {
    return this.#once("count", () => {
      const length = this.make("length", "Shape", [this.all]);
      return this.make("count", "Cast", [length], { to: codeOf(this.type) });
    });
  }

  /** Mean, NaN if there are no elements: [1]. */
  get mean(): string {
    return this.#once("mean", () => this.#mean(this.all));
  }

  /** Population standard deviation, NaN if there are no elements: [1]. */
  get std(): string {
    // Subtract the mean of the deviations, too: the first mean is rounded, so if it is large compared with the
    // deviations, their mean is not quite zero.
    const rough = this.make("rough", "Sub", [this.all, this.mean]);
    const deviations = this.make("deviations", "Sub", [rough, this.#mean(rough)]);
    const squares = this.make("squares", "Mul", [deviations, deviations]);
    return this.make("std", "Sqrt", [this.#mean(squares)]);
  }

  /** Square root of the sum of squares: [1]. */
  get norm(): string {
    const squares = this.make("squares", "Mul", [this.all, this.all]);
    return this.make("norm", "Sqrt", [this.sum(squares)]);
  }

  /** Minimum, +∞ if there are no elements, NaN if any element is NaN: [1]. */
  get min(): string {
    return this.#extreme("ReduceMin", Infinity);
  }

  /** Maximum, −∞ if there are no elements, NaN if any element is NaN: [1]. */
  get max(): string {
    return this.#extreme("ReduceMax", -Infinity);
  }

  /** Number of elements that are NaN or infinite: [1]. */
  get nonFinite(): string {
    const size = this.make("size", "Abs", [this.all]);
    const isFinite = this.make("finite", "LessOrEqual", [size, this.number(MOST[this.type])]);
    const isOdd = this.make("odd", "Not", [isFinite]);
    return this.#float(this.sum(this.#whole(isOdd)));
  }

  /**
   * Flags of the elements, true for those that are not NaN: [n]. IsNaN is not used, because it has no kernel on
   * WebGPU.
   */
  get isNumber(): string {
    return this.#once("isNumber", () => {
      return this.make("number", "GreaterOrEqual", [this.all, this.number(-Infinity)]);
    });
  }

  /**
   * Returns the number of elements in each of `bins` bins of equal width. The first and the last bin also count
   * elements outside of the range: [bins].
   */
  histogram(bins: number, [low, high]: readonly [number, number]): string {
    const graph = this.#graph;
    const above = this.make("above", "Sub", [this.all, this.number(low)]);
    const scaled = this.make("scaled", "Mul", [above, this.number(bins / (high - low))]);
    const placed = this.make("placed", "Where", [this.isNumber, scaled, this.number(0)]);
    const ends = [this.number(0), this.number(bins - 1)];
    const clipped = this.make("clipped", "Clip", [placed, ...ends]);
    // Count in integers: a sum of ones in float32 stops growing at 2²⁴.
    const none = graph.constantOf("i32", new Float64Array(bins), [bins], this.#name("none"));
    const inputs = [none, this.#whole(clipped), this.#whole(this.isNumber)];
    return this.make("counts", "ScatterElements", inputs, { axis: 0, reduction: "add" });
  }

  /** Returns the sum of a list, 0 if it is empty: [1]. */
  sum(list: string): string {
    return this.#reduce("ReduceSum", list);
  }

  #cast(): string {
    if (this.#graph.type(this.#tensor) === this.type) return this.#tensor;
    return this.make("cast", "Cast", [this.#tensor], { to: codeOf(this.type) });
  }

  /**
   * Returns the mean of a list, its sum divided by its count. ReduceMean is not used, because runtimes disagree about
   * its result for an empty list.
   */
  #mean(list: string): string {
    return this.make("mean", "Div", [this.sum(list), this.count]);
  }

  /**
   * Returns the minimum or maximum of all elements, or `none` if there are no elements. NaN is added afterwards,
   * because comparisons with NaN depend on the order of elements.
   */
  #extreme(op: "ReduceMin" | "ReduceMax", none: number): string {
    return this.make("extreme", "Add", [this.#reduce(op, this.#padded(none)), this.#nan]);
  }

  /** NaN if any element is NaN, otherwise 0: [1]. */
  get #nan(): string {
    return this.#once("nan", () => {
      const inputs = [this.isNumber, this.number(0), this.all];
      return this.sum(this.make("nans", "Where", inputs));
    });
  }

  /**
   * Returns all elements, followed by the value `none` if there may be no elements, because WebGPU refuses to reduce
   * an empty list.
   */
  #padded(none: number): string {
    const lengths = this.#shape ?? [undefined];
    if (lengths.every((length) => typeof length === "number" && length > 0)) return this.all;
    return this.make("padded", "Concat", [this.all, this.#constant(none, [1])], { axis: 0 });
  }

  #reduce(op: string, list: string): string {
    const axes = this.#once(
      "axes",
      () => this.#graph.constantOf("i64", [0], [1], this.#name("axes")),
    );
    return this.make(op.slice("Reduce".length).toLowerCase(), op, [list, axes], { keepdims: 1 });
  }

  #whole(list: string): string {
    return this.make("whole", "Cast", [list], { to: codeOf("i32") });
  }

  #float(list: string): string {
    return this.make("float", "Cast", [list], { to: codeOf(this.type) });
  }

  #constant(value: number, shape: readonly number[]): string {
    const values = new Float64Array(1).fill(value);
    return this.#graph.constantOf(this.type, values, shape, this.#name("constant"));
  }

  #name(part: string): string {
    return tapName(this.#tensor, part);
  }

  #once(key: string, write: () => string): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = write();
    this.#known.set(key, name);
    return name;
  }
}
