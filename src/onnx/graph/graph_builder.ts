import { create } from "@bufbuild/protobuf";
import { ModelProtoSchema } from "onnx-buf";
import type { Attributes } from "../codec/attributes.ts";
import type { ElementType } from "../codec/element_type.ts";
import { Graph } from "./graph.ts";
import { noteParameter } from "./noted_parameters.ts";
import { tensorProto } from "../codec/tensor_proto.ts";
import { type Shape, valueInfo } from "../codec/value_info.ts";

/** A value of a graph that is being built: a name, and the type of its elements, which the compiler checks too. */
export interface Value<Type extends ElementType = ElementType> {
  /** Its name, until it becomes an output or is named. */
  readonly name: string;
  /** The type of its elements. */
  readonly type: Type;
}

/** How to begin a graph. */
export interface GraphBuilderOptions {
  /**
   * The version of its operators, 18 to 21.
   *
   * @default 18
   */
  readonly opset?: number;
  /** Notes kept in the file, by key. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Types that numbers are written as, in formulas. */
export type NumericType = "f16" | "f32" | "f64" | "i32" | "i64";

/** A value, or a number that becomes a constant of the other operand's type. */
export type Operand<Type extends ElementType> = Value<Type> | number;

/**
 * Writes a graph, operator by operator: inputs, formulas over them, outputs.
 *
 * Each method adds one node and answers with what it makes. Types of elements are checked by the compiler, shapes by
 * onnxruntime. Equal constants are one. What has no method of its own is made by {@linkcode GraphBuilder.op}.
 *
 * @example The squared lengths of vectors
 * ```ts
 * import { decodeModel, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("squares");
 * const vectors = builder.input("vectors", "f32", ["N", 3]);
 * builder.output("squares", builder.reduceSum(builder.mul(vectors, vectors), [1]), ["N"]);
 * assertEquals(decodeModel(builder.build()).graph?.node.map(({ opType }) => opType), ["Mul", "ReduceSum"]);
 * ```
 */
export class GraphBuilder {
  readonly #graph: Graph;
  readonly #constants = new Map<string, string>();
  /** Names that values had: before → now. */
  readonly #renamed = new Map<string, string>();

  /**
   * Throws a RangeError for another opset than 18 to 21.
   *
   * @param start what a new graph is called, or a graph to write on in
   */
  constructor(start: string | Graph, options: GraphBuilderOptions = {}) {
    this.#graph = typeof start === "string" ? newGraph(start, options) : start;
  }

  /**
   * A value that the graph has already.
   *
   * @throws {RangeError} when there is none of this name
   * @throws {TypeError} when its elements are of another type; a type that nobody knows is believed
   */
  value<Type extends ElementType>(name: string, type: Type): Value<Type> {
    if (!this.#graph.has(name)) {
      throw new RangeError(
        `Cannot use the value ${JSON.stringify(name)} as the graph must have it: it has ${
          [...this.#graph.inputs, ...this.#graph.outputs].map((each) => each.name).join(", ")
        }`,
      );
    }
    const current = this.#graph.type(name) ?? type;
    if (current === type) return { name, type };
    throw new TypeError(
      `Cannot use the value ${
        JSON.stringify(name)
      } as its elements must be ${type}: they are ${current}`,
    );
  }

  /**
   * Something that is fed.
   *
   * @param shape lengths along the axes: numbers, or names of lengths that are free
   * @throws {SyntaxError} when there is a value of this name
   */
  input<Type extends ElementType>(name: string, type: Type, shape: Shape): Value<Type> {
    this.#graph.addInput(valueInfo(name, type, shape));
    return { name, type };
  }

  /**
   * Lets a value come out, under this name.
   *
   * @throws {SyntaxError} when there is a value of this name
   */
  output(name: string, value: Value, shape?: Shape): void {
    const now = this.#nameOf(value);
    if (this.#graph.producer(now) === undefined || this.#graph.isOutput(now)) {
      this.#graph.add("Identity", [now], { outputs: [name] });
    } else {
      this.#rename(now, name);
    }
    this.#graph.addOutput(valueInfo(name, value.type, shape));
  }

  /** A tensor that is always the same; a number is a scalar. Throws as {@linkcode tensorProto} does. */
  constant<Type extends ElementType>(
    type: Type,
    values: number | ArrayLike<number>,
    shape?: readonly number[],
  ): Value<Type> {
    const lengths = shape ?? (typeof values === "number" ? [] : [values.length]);
    const list = typeof values === "number" ? [values] : Array.from(values);
    const key = `${type}[${lengths}]${list.map((x) => Object.is(x, -0) ? "-0" : `${x}`)}`;
    const known = this.#constants.get(key);
    if (known !== undefined) return { name: known, type };
    const name = this.#graph.constantOf(
      type,
      list,
      lengths,
      `${type}_${list.slice(0, 4).join("_")}`,
    );
    this.#constants.set(key, name);
    return { name, type };
  }

  /**
   * A tensor of numbers by a name of its own, to be trained: the file notes that it is a parameter. To runtimes it is a
   * constant.
   *
   * @throws {RangeError} when there are other than the shape's number of values
   * @throws {SyntaxError} when there is a value of this name
   */
  parameter(name: string, values: ArrayLike<number>, shape: readonly number[]): Value<"f32"> {
    this.#graph.addConstant(tensorProto("f32", shape, values, name));
    noteParameter(this.#graph.model, name);
    return { name, type: "f32" };
  }

  /**
   * Any operator with one output.
   *
   * @param inputs values; `undefined` leaves an optional one out
   * @param type of what it makes
   */
  op<Type extends ElementType>(
    op: string,
    inputs: readonly (Value | undefined)[],
    type: Type,
    attributes: Attributes = {},
  ): Value<Type> {
    const names = inputs.map((value) => value === undefined ? "" : this.#nameOf(value));
    return { name: this.#graph.make(op, names, attributes), type };
  }

  /** a + b */
  add<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<Type> {
    return this.#binary("Add", a, b);
  }

  /** a − b */
  sub<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<Type>;
  /** a − b */
  sub<Type extends NumericType>(a: Operand<Type>, b: Value<Type>): Value<Type>;
  sub<Type extends NumericType>(a: Operand<Type>, b: Operand<Type>): Value<Type> {
    return this.#binary("Sub", a, b);
  }

  /** a · b, element by element */
  mul<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<Type> {
    return this.#binary("Mul", a, b);
  }

  /** a / b */
  div<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<Type>;
  /** a / b */
  div<Type extends NumericType>(a: Operand<Type>, b: Value<Type>): Value<Type>;
  div<Type extends NumericType>(a: Operand<Type>, b: Operand<Type>): Value<Type> {
    return this.#binary("Div", a, b);
  }

  /** Where a < b. */
  less<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<"bool"> {
    return this.op("Less", [a, this.#operand(a.type, b)], "bool");
  }

  /** Where a ≥ b; of NaN neither this nor `less` holds. */
  greaterOrEqual<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<"bool"> {
    return this.op("GreaterOrEqual", [a, this.#operand(a.type, b)], "bool");
  }

  /** a where the condition holds, b where not. */
  where<Type extends NumericType>(
    condition: Value<"bool">,
    a: Operand<Type>,
    b: Value<Type>,
  ): Value<Type> {
    return this.op("Where", [condition, this.#operand(b.type, a), b], b.type);
  }

  /** The slices of `data` at these places along an axis. */
  gather<Type extends ElementType>(
    data: Value<Type>,
    indices: Value<"i32" | "i64">,
    axis = 0,
  ): Value<Type> {
    return this.op("Gather", [data, indices], data.type, { axis });
  }

  /** `base` with each update added at its place along axis 0; indices have the updates' shape. */
  scatterAdd<Type extends NumericType>(
    base: Value<Type>,
    indices: Value<"i32" | "i64">,
    updates: Value<Type>,
  ): Value<Type> {
    const attributes = { axis: 0, reduction: "add" };
    return this.op("ScatterElements", [base, indices, updates], base.type, attributes);
  }

  /** Sums over axes, which go or (`keepsAxes`) stay with length 1. */
  reduceSum<Type extends NumericType>(
    a: Value<Type>,
    axes: readonly number[],
    keepsAxes = false,
  ): Value<Type> {
    const inputs = [a, this.constant("i64", axes)];
    return this.op("ReduceSum", inputs, a.type, { keepdims: keepsAxes ? 1 : 0 });
  }

  /** With axes of length 1 put in at these places. */
  unsqueeze<Type extends ElementType>(a: Value<Type>, axes: readonly number[]): Value<Type> {
    return this.op("Unsqueeze", [a, this.constant("i64", axes)], a.type);
  }

  /** Without these axes, which have length 1. */
  squeeze<Type extends ElementType>(a: Value<Type>, axes: readonly number[]): Value<Type> {
    return this.op("Squeeze", [a, this.constant("i64", axes)], a.type);
  }

  /** Repeated along axes of length 1; a length of 1 here leaves an axis as it is. */
  expand<Type extends ElementType>(a: Value<Type>, shape: readonly number[]): Value<Type> {
    return this.op("Expand", [a, this.constant("i64", shape)], a.type);
  }

  /** In another shape, given by a value of int64; −1 for what follows from the rest. */
  reshape<Type extends ElementType>(a: Value<Type>, shape: Value<"i64">): Value<Type> {
    return this.op("Reshape", [a, shape], a.type);
  }

  /** Notes the shape of a value in the file, where edits and people find it; answers with the value. */
  describe<Type extends ElementType>(a: Value<Type>, shape: Shape): Value<Type> {
    this.#graph.describe(valueInfo(this.#nameOf(a), a.type, shape));
    return a;
  }

  /**
   * Calls what a node makes by a name of one's own, by which hooks read and patch it; answers with the value.
   *
   * @throws {RangeError} for a name that is taken, and for inputs and constants, which have theirs
   */
  named<Type extends ElementType>(a: Value<Type>, name: string): Value<Type> {
    this.#rename(this.#nameOf(a), name);
    return { name, type: a.type };
  }

  /** The graph as it is now, to be edited further; shared with the builder. */
  get graph(): Graph {
    return this.#graph;
  }

  /** The bytes of an .onnx file. */
  build(): Uint8Array<ArrayBuffer> {
    return this.#graph.encode();
  }

  /** One of the two is a value. */
  #binary<Type extends NumericType>(op: string, a: Operand<Type>, b: Operand<Type>): Value<Type> {
    const { type } = (typeof a === "number" ? b : a) as Value<Type>;
    return this.op(op, [this.#operand(type, a), this.#operand(type, b)], type);
  }

  #operand<Type extends NumericType>(type: Type, value: Operand<Type>): Value<Type> {
    return typeof value === "number" ? this.constant(type, value) : value;
  }

  #rename(from: string, to: string): void {
    this.#graph.rename(from, to);
    for (const [before, now] of this.#renamed) if (now === from) this.#renamed.set(before, to);
    this.#renamed.delete(to);
    this.#renamed.set(from, to);
  }

  #nameOf({ name }: Value): string {
    return this.#renamed.get(name) ?? name;
  }
}

function newGraph(name: string, { opset = 18, metadata = {} }: GraphBuilderOptions): Graph {
  const model = create(ModelProtoSchema, {
    irVersion: 8n,
    producerName: "hooke",
    opsetImport: [{ domain: "", version: BigInt(opset) }],
    graph: { name },
    metadataProps: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  return new Graph(model);
}
