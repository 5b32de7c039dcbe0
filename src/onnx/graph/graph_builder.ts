import { create } from "@bufbuild/protobuf";
import { ModelProtoSchema } from "onnx-buf";
import type { Attributes } from "../codec/attributes.ts";
import type { ElementType } from "../codec/element_type.ts";
import { Graph } from "./graph.ts";
import { noteParameter } from "./noted_parameters.ts";
import { makeTensorProto } from "../codec/tensor_proto.ts";
import { type Shape, valueInfo } from "../codec/value_info.ts";

/** A value of a graph that is being built. The compiler checks its element type. */
export interface Value<Type extends ElementType = ElementType> {
  /**
   * Name of the value when this object was created. The value gets another name in the graph if it becomes an output
   * or is named.
   */
  readonly name: string;
  /** Element type. */
  readonly type: Type;
}

/** Options of {@linkcode GraphBuilder}. */
export interface GraphBuilderOptions {
  /**
   * Version of the operators, 18 to 21.
   *
   * @default 18
   */
  readonly opset?: number;
  /** Metadata of the file, by key. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Element types of values that can be combined with numbers. */
export type NumericType = "f16" | "f32" | "f64" | "i32" | "i64";

/** A value, or a number, which becomes a constant of the other operand's type. */
export type Operand<Type extends ElementType> = Value<Type> | number;

/**
 * Builds a graph operator by operator: inputs, formulas, outputs.
 *
 * Each method adds one node and returns its result. The compiler checks element types, and onnxruntime checks
 * shapes. Equal constants are stored once. {@linkcode GraphBuilder.op} adds operators that have no method.
 *
 * @example Compute the squared lengths of vectors
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
  /** Current names of renamed values, by their earlier names. */
  readonly #renamed = new Map<string, string>();

  /**
   * Creates a builder.
   *
   * @param start name of a new graph, or an existing graph to extend
   * @throws {RangeError} if the opset is not between 18 and 21
   */
  constructor(start: string | Graph, options: GraphBuilderOptions = {}) {
    this.#graph = typeof start === "string" ? newGraph(start, options) : start;
  }

  /**
   * Returns an existing value of the graph.
   *
   * @throws {RangeError} if no value has this name
   * @throws {TypeError} if its element type differs; an undeclared type is accepted
   */
  value<Type extends ElementType>(name: string, type: Type): Value<Type> {
    if (!this.#graph.has(name)) {
      throw new RangeError(
        `Cannot use the value ${
          JSON.stringify(name)
        }: it does not exist. The graph has the inputs and outputs ${
          [...this.#graph.inputs, ...this.#graph.outputs].map((each) => each.name).join(", ")
        }`,
      );
    }
    const current = this.#graph.type(name) ?? type;
    if (current === type) return { name, type };
    throw new TypeError(
      `Cannot use the value ${JSON.stringify(name)}: its elements must be ${type}; got ${current}`,
    );
  }

  /**
   * Adds an input.
   *
   * @param shape lengths of the axes: numbers, or names of variable lengths
   * @throws {SyntaxError} if a value of this name exists
   */
  input<Type extends ElementType>(name: string, type: Type, shape: Shape): Value<Type> {
    this.#graph.addInput(valueInfo(name, type, shape));
    return { name, type };
  }

  /**
   * Makes a value an output with this name. An input, a constant or another output is copied.
   *
   * @throws {SyntaxError} if a value of this name exists
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

  /** Adds a constant tensor. A number becomes a scalar. Throws as {@linkcode makeTensorProto} does. */
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
   * Adds a named tensor of trainable numbers. The metadata of the file list it as a parameter; a runtime treats it as
   * a constant.
   *
   * @throws {RangeError} if the number of values differs from that of the shape
   * @throws {SyntaxError} if a value of this name exists
   */
  parameter(name: string, values: ArrayLike<number>, shape: readonly number[]): Value<"f32"> {
    this.#graph.addConstant(makeTensorProto("f32", shape, values, name));
    noteParameter(this.#graph.model, name);
    return { name, type: "f32" };
  }

  /**
   * Adds any operator with one output.
   *
   * @param inputs values; `undefined` omits an optional one
   * @param type element type of the result
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

  /** Returns a + b. */
  add<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<Type> {
    return this.#binary("Add", a, b);
  }

  /** Returns a − b. */
  sub<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<Type>;
  /** Returns a − b. */
  sub<Type extends NumericType>(a: Operand<Type>, b: Value<Type>): Value<Type>;
  sub<Type extends NumericType>(a: Operand<Type>, b: Operand<Type>): Value<Type> {
    return this.#binary("Sub", a, b);
  }

  /** Returns the elementwise product a · b. */
  mul<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<Type> {
    return this.#binary("Mul", a, b);
  }

  /** Returns a / b. */
  div<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<Type>;
  /** Returns a / b. */
  div<Type extends NumericType>(a: Operand<Type>, b: Value<Type>): Value<Type>;
  div<Type extends NumericType>(a: Operand<Type>, b: Operand<Type>): Value<Type> {
    return this.#binary("Div", a, b);
  }

  /** Returns a < b. */
  less<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<"bool"> {
    return this.op("Less", [a, this.#operand(a.type, b)], "bool");
  }

  /** Returns a ≥ b. For NaN both this and `less` are false. */
  greaterOrEqual<Type extends NumericType>(a: Value<Type>, b: Operand<Type>): Value<"bool"> {
    return this.op("GreaterOrEqual", [a, this.#operand(a.type, b)], "bool");
  }

  /** Returns a if the condition is true, otherwise b. */
  where<Type extends NumericType>(
    condition: Value<"bool">,
    a: Operand<Type>,
    b: Value<Type>,
  ): Value<Type> {
    return this.op("Where", [condition, this.#operand(b.type, a), b], b.type);
  }

  /** Returns the slices of `data` at the given indices along an axis. */
  gather<Type extends ElementType>(
    data: Value<Type>,
    indices: Value<"i32" | "i64">,
    axis = 0,
  ): Value<Type> {
    return this.op("Gather", [data, indices], data.type, { axis });
  }

  /** Returns `base` with each update added at its index along axis 0. Indices have the shape of the updates. */
  scatterAdd<Type extends NumericType>(
    base: Value<Type>,
    indices: Value<"i32" | "i64">,
    updates: Value<Type>,
  ): Value<Type> {
    const attributes = { axis: 0, reduction: "add" };
    return this.op("ScatterElements", [base, indices, updates], base.type, attributes);
  }

  /** Returns the sum over axes, which are removed, or get length 1 if `keepsAxes` is true. */
  reduceSum<Type extends NumericType>(
    a: Value<Type>,
    axes: readonly number[],
    keepsAxes = false,
  ): Value<Type> {
    const inputs = [a, this.constant("i64", axes)];
    return this.op("ReduceSum", inputs, a.type, { keepdims: keepsAxes ? 1 : 0 });
  }

  /** Returns a value with additional axes of length 1. `axes` are their positions in the result. */
  unsqueeze<Type extends ElementType>(a: Value<Type>, axes: readonly number[]): Value<Type> {
    return this.op("Unsqueeze", [a, this.constant("i64", axes)], a.type);
  }

  /** Returns a value without the given axes, which must have length 1. */
  squeeze<Type extends ElementType>(a: Value<Type>, axes: readonly number[]): Value<Type> {
    return this.op("Squeeze", [a, this.constant("i64", axes)], a.type);
  }

  /** Returns a value broadcast along its axes of length 1. A length of 1 in `shape` keeps the length of that axis. */
  expand<Type extends ElementType>(a: Value<Type>, shape: readonly number[]): Value<Type> {
    return this.op("Expand", [a, this.constant("i64", shape)], a.type);
  }

  /** Returns a value in another shape. A length of −1 stands for the remaining elements. */
  reshape<Type extends ElementType>(a: Value<Type>, shape: Value<"i64">): Value<Type> {
    return this.op("Reshape", [a, shape], a.type);
  }

  /** Declares the shape of a value in the file, for later edits and readers. Returns the value. */
  describe<Type extends ElementType>(a: Value<Type>, shape: Shape): Value<Type> {
    this.#graph.describe(valueInfo(this.#nameOf(a), a.type, shape));
    return a;
  }

  /**
   * Names the result of a node, so that hooks can read and patch it by this name. Returns the value.
   *
   * @throws {RangeError} if the name is in use, or the value is an input or a constant
   */
  named<Type extends ElementType>(a: Value<Type>, name: string): Value<Type> {
    this.#rename(this.#nameOf(a), name);
    return { name, type: a.type };
  }

  /** The graph, for further edits. It is shared with the builder. */
  get graph(): Graph {
    return this.#graph;
  }

  /** Returns the graph as the bytes of an .onnx file. */
  build(): Uint8Array<ArrayBuffer> {
    return this.#graph.encode();
  }

  /** Adds a node with two operands, at least one of which is a value. */
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
