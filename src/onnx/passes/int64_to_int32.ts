import { attributeOf, intAttribute, textAttribute } from "../codec/attributes.ts";
import { codeOf } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { NodeProto } from "../codec/messages.ts";
import { tensorValues } from "../codec/tensor_proto.ts";
import { operands } from "./operands.ts";

const ACTION = "use int32 for int64";

/** Options of {@linkcode int64ToInt32}. */
export interface Int64ToInt32Options {
  /**
   * True to keep int64 inputs and cast them in the graph. The interface of the model stays the same, but the casts
   * run on the CPU. By default the inputs become int32.
   *
   * @default false
   */
  readonly keepsInputs?: boolean;
}

/** Requirements of an operator for the types of its inputs and outputs. */
interface Rule {
  /** Indices of the data inputs, which must have the same type. */
  readonly data: readonly number[] | "all";
  /** Indices of the inputs that contain indices, which may be int32 or int64. */
  readonly index?: readonly number[];
  /** True if the output has the type of the data inputs. */
  readonly passes: boolean;
}

const FIRST: Rule = { data: [0], passes: true };
const PLACES: Rule = { data: [0], index: [1], passes: true };
const ALL: Rule = { data: "all", passes: true };
const COMPARES: Rule = { data: "all", passes: false };
/** Rule of operators that accept any type, and whose output type does not depend on it. */
const TAKES: Rule = { data: [0], passes: false };

const SCATTER: Rule = { data: [0, 2], index: [1], passes: true };
/** Rule of ScatterND, whose indices must be int64. */
const SCATTER_ND: Rule = { data: [0, 2], passes: true };

/** Operators whose int32 kernels exist on the CPU and on WebGPU, or which need no kernel. */
const RULES: Readonly<Record<string, Rule>> = {
  Identity: FIRST,
  Reshape: FIRST,
  Squeeze: FIRST,
  Unsqueeze: FIRST,
  Flatten: FIRST,
  Transpose: FIRST,
  Expand: FIRST,
  Slice: FIRST,
  Split: FIRST,
  Abs: FIRST,
  Neg: FIRST,
  Gather: PLACES,
  GatherElements: PLACES,
  GatherND: FIRST,
  Add: ALL,
  Sub: ALL,
  Mul: ALL,
  Div: ALL,
  Max: ALL,
  Min: ALL,
  Concat: ALL,
  Equal: COMPARES,
  Less: COMPARES,
  LessOrEqual: COMPARES,
  Greater: COMPARES,
  GreaterOrEqual: COMPARES,
  Shape: TAKES,
  Size: TAKES,
  Where: { data: [1, 2], passes: true },
  ScatterElements: SCATTER,
  ScatterND: SCATTER_ND,
};

/**
 * Changes indices from int64 to int32, starting from the inputs. WebGPU has no kernels for int64 arithmetic, and each
 * fallback to the CPU copies the tensors to the CPU and back.
 *
 * GatherND and ScatterND over one axis, which require int64 indices, become Gather and ScatterElements. Operators
 * that accept only int64, such as those that take shapes, get a cast. Outputs keep their types. Indices, and values
 * computed from them, must be below 2³¹.
 *
 * @returns number of values that became int32
 * @throws {UnsupportedNodeError} if the graph has control flow
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, int64ToInt32 } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("twice");
 * const [x, at] = [builder.input("x", "f32", ["N"]), builder.input("at", "i64", ["M"])];
 * builder.output("y", builder.gather(x, builder.mul(at, 2)));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(int64ToInt32(graph), 2);
 * assertEquals(graph.type("at"), "i32");
 * ```
 */
export function int64ToInt32(graph: Graph, options: Int64ToInt32Options = {}): number {
  graph.refuseControlFlow(ACTION);
  const narrowing = new Narrowing(graph);
  for (const { name } of graph.inputs) {
    if (graph.type(name) === "i64") narrowing.input(name, options.keepsInputs ?? false);
  }
  for (const node of graph.sort()) narrowing.node(node);
  graph.prune();
  return narrowing.count;
}

class Narrowing {
  readonly #graph: Graph;
  /** Names of the values that this pass has made int32. */
  readonly #narrow = new Set<string>();
  /**
   * Names of casts to int64, by name of the int32 value. `#narrowed` has the names of int32 versions, by name of the
   * int64 value.
   */
  readonly #wide = new Map<string, string>();
  readonly #narrowed = new Map<string, string>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  get count(): number {
    return this.#narrow.size;
  }

  /** Makes an input int32. If the input must stay int64, adds a cast to int32. */
  input(name: string, isKept: boolean): void {
    const graph = this.#graph;
    if (!isKept && !graph.isOutput(name)) {
      this.#mark(name);
      return;
    }
    const narrow = graph.make("Cast", [name], { to: codeOf("i32") });
    graph.replaceUses(name, narrow, graph.producer(narrow));
    this.#narrow.add(narrow);
  }

  /**
   * Makes the outputs of a node int32 if its rule allows this. The nodes that compute its inputs must have been
   * visited.
   */
  node(node: NodeProto): void {
    if (node.domain !== "") return this.#widenInputs(node);
    if (node.opType === "Cast") return this.#cast(node);
    const isNarrowAt = (index: number) => this.#narrow.has(node.input[index] ?? "");
    if (node.opType === "GatherND" && isNarrowAt(1)) return this.#gather(node);
    if (node.opType === "ScatterND" && isNarrowAt(1)) return this.#scatter(node);
    const rule = RULES[node.opType];
    if (rule === undefined) return this.#widenInputs(node);
    this.#apply(node, rule);
  }

  #apply(node: NodeProto, rule: Rule): void {
    const { index = [], passes } = rule;
    const data = rule.data === "all" ? [...node.input.keys()] : rule.data;
    const isNarrow = (at: number) => this.#narrow.has(node.input[at] ?? "");
    for (const at of index) this.#narrowConstant(node, at);
    // Two kinds of nodes have only int64 constants as data, but become int32 because their results are indices:
    // a lookup in a constant table, and a constant that is expanded.
    const isTable = passes && index.some(isNarrow) &&
      data.every((at) => this.#fits(node.input[at] ?? ""));
    const isFill = node.opType === "Expand" && this.#fits(node.input[0] ?? "") &&
      this.#isPlaces(node);
    if (data.some(isNarrow) || isTable || isFill) this.#narrowData(node, data, passes);
    this.#widenInputs(node, [...data, ...index]);
  }

  /** Gives all data inputs the same type: int32 if all of them can be narrowed, otherwise int64. */
  #narrowData(node: NodeProto, data: readonly number[], passes: boolean): void {
    const parts = [...node.input.entries()].filter(([at, name]) =>
      data.includes(at) && name !== ""
    );
    // A constant that int32 cannot hold keeps the whole node in int64, because all its data must have one type.
    const isBlocked = parts.some(([, name]) =>
      this.#graph.constant(name) !== undefined && !this.#narrow.has(name) && !this.#fits(name)
    );
    if (isBlocked) return this.#widenInputs(node);
    for (const [at, name] of parts) this.#graph.setInput(node, at, this.#narrowed32(name));
    if (passes) { for (const name of [...node.output]) this.#narrowOutput(name); }
  }

  /** Returns the name of the int32 version of a value. Adds a cast or a constant if this version does not exist. */
  #narrowed32(name: string): string {
    if (this.#narrow.has(name)) return name;
    const known = this.#narrowed.get(name);
    if (known !== undefined) return known;
    const graph = this.#graph, tensor = graph.constant(name);
    const hint = `${name}_i32`;
    const made = tensor === undefined
      ? graph.make("Cast", [name], { to: codeOf("i32") }, graph.freshName(hint))
      : graph.constantOf(
        "i32",
        Array.from(tensorValues(tensor), Number),
        tensor.dims.map(Number),
        hint,
      );
    this.#narrowed.set(name, made);
    return made;
  }

  #narrowOutput(name: string): void {
    if (name === "") return;
    const graph = this.#graph;
    if (!graph.isOutput(name)) return this.#mark(name);
    const narrow = graph.freshName(`${name}_i32`);
    graph.rename(name, narrow, { keepsOutput: true });
    graph.add("Cast", [narrow], { attributes: { to: codeOf("i64") }, outputs: [name] });
    this.#narrow.add(narrow);
  }

  /** Marks a value as int32, also in its declaration. */
  #mark(name: string): void {
    this.#narrow.add(name);
    const value = this.#graph.info(name)?.type?.value;
    if (value?.case === "tensorType") value.value.elemType = codeOf("i32");
  }

  /** Casts the int32 inputs of a node to int64, except for the inputs at the indices `except`. */
  #widenInputs(node: NodeProto, except: readonly number[] = []): void {
    for (const [at, name] of node.input.entries()) {
      if (except.includes(at) || !this.#narrow.has(name)) continue;
      const wide = this.#wide.get(name) ??
        this.#graph.make(
          "Cast",
          [name],
          { to: codeOf("i64") },
          this.#graph.freshName(`${name}_i64`),
        );
      this.#wide.set(name, wide);
      this.#graph.setInput(node, at, wide);
    }
  }

  /** Changes a cast of an int32 value to int64 into a cast to int32. */
  #cast(node: NodeProto): void {
    const to = attributeOf(node, "to");
    const [from = "", made = ""] = [node.input[0], node.output[0]];
    if (!this.#narrow.has(from) || to?.i !== BigInt(codeOf("i64"))) return;
    if (this.#graph.isOutput(made)) return;
    to.i = BigInt(codeOf("i32"));
    this.#mark(made);
  }

  /** Rewrites a GatherND with one index per element as a Gather along the first axis. */
  #gather(node: NodeProto): void {
    const { inputs: [data = "", indices = ""] } = operands(node, 2, ACTION);
    const places = intAttribute(node, "batch_dims", 0) === 0
      ? this.#lastAxisOff(indices)
      : undefined;
    if (places === undefined) {
      this.#widenInputs(node, [0]);
      return this.#apply(node, FIRST);
    }
    const gather = this.#graph.add("Gather", [data, places], { attributes: { axis: 0 } });
    this.#graph.replaceNode(node, gather);
    this.#apply(gather, PLACES);
  }

  /**
   * Rewrites a ScatterND with one index per update as ScatterElements along the first axis, with the index repeated
   * for all elements of a row.
   */
  #scatter(node: NodeProto): void {
    const graph = this.#graph;
    const { inputs: [base = "", indices = "", updates = ""] } = operands(node, 3, ACTION);
    const rank = (graph.shape(base) ?? graph.shape(updates))?.length;
    const isFlat = graph.shape(indices)?.length === 2;
    const places = rank !== undefined && isFlat ? this.#lastAxisOff(indices) : undefined;
    if (places === undefined || rank === undefined) {
      this.#widenInputs(node, [0, 2]);
      return this.#apply(node, SCATTER_ND);
    }
    const reduction = textAttribute(node, "reduction", "none");
    const scatter = graph.add(
      "ScatterElements",
      [base, this.#rows(places, updates, rank), updates],
      {
        attributes: { axis: 0, reduction },
      },
    );
    graph.replaceNode(node, scatter);
    this.#apply(scatter, SCATTER);
  }

  /** Adds nodes that repeat each index for all elements of a row of `like`, and returns the name of the result. */
  #rows(places: string, like: string, rank: number): string {
    if (rank === 1) return places;
    const graph = this.#graph;
    const axes = graph.constantOf("i64", Array.from({ length: rank - 1 }, (_, i) => i + 1));
    const column = graph.make("Unsqueeze", [places, axes]);
    const rows = graph.make("Expand", [column, graph.make("Shape", [like])]);
    for (const name of [column, rows]) this.#narrow.add(name);
    return rows;
  }

  /**
   * Returns the name of the indices without their last axis; `undefined` if the length of this axis is not 1. If an
   * Unsqueeze has added the axis, returns the input of the Unsqueeze; otherwise adds a node.
   */
  #lastAxisOff(indices: string): string | undefined {
    const graph = this.#graph, shape = graph.shape(indices);
    if (shape === undefined || shape.at(-1) !== 1) return undefined;
    const node = graph.producer(indices);
    if (node?.opType === "Unsqueeze") {
      const [before = "", axes = ""] = node.input;
      const tensor = graph.constant(axes);
      const values = tensor === undefined ? [] : Array.from(tensorValues(tensor), Number);
      const isLast = `${values}` === "-1" || `${values}` === `${shape.length - 1}`;
      if (isLast && this.#narrow.has(before)) return before;
    }
    const squeezed = graph.make("Squeeze", [indices, graph.constantOf("i64", [-1])]);
    this.#narrow.add(squeezed);
    return squeezed;
  }

  /** Replaces the input at index `at` by its int32 version if it is a constant that int32 can hold. */
  #narrowConstant(node: NodeProto, at: number): void {
    const name = node.input[at] ?? "";
    if (this.#fits(name)) this.#graph.setInput(node, at, this.#narrowed32(name));
  }

  /** Returns whether a value is an int64 constant whose elements fit into int32. */
  #fits(name: string): boolean {
    const tensor = this.#graph.constant(name);
    if (tensor === undefined || this.#graph.type(name) !== "i64") return false;
    return Array.from(tensorValues(tensor), Number).every((value) => value === (value | 0));
  }

  /** Returns whether the result of a node is used only as indices. */
  #isPlaces({ output: [made = ""] }: NodeProto): boolean {
    const uses = this.#graph.uses(made);
    return uses.length > 0 && !this.#graph.isOutput(made) &&
      uses.every(({ node, index }) => RULES[node.opType]?.index?.includes(index) === true);
  }
}
