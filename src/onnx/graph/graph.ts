import { create } from "@bufbuild/protobuf";
import { OperatorSetIdProtoSchema } from "onnx-buf";
import type { Attributes } from "../codec/attributes.ts";
import { encodeModel } from "../codec/codec.ts";
import { tensorOfConstant } from "../codec/constant_node.ts";
import { type ElementType, elementTypeOf } from "../codec/element_type.ts";
import type { ModelProto, NodeProto, TensorProto, ValueInfoProto } from "../codec/messages.ts";
import { opsetOf } from "../codec/opset.ts";
import { makeTensorProto } from "../codec/tensor_proto.ts";
import { describeValue, type Shape } from "../codec/value_info.ts";
import { bitsOfHalves } from "../evaluate/operators/rounding.ts";
import { insideNode } from "./graph_errors.ts";
import type { Use } from "./graph_links.ts";
import {
  addNode,
  type NodeOptions,
  pruneGraph,
  removeNode,
  renameValue,
  replaceNode,
  replaceUses,
  setInput,
} from "./graph_nodes.ts";
import { sortNodes } from "./graph_order.ts";
import { type GraphTables, hasValue, tablesOf } from "./graph_tables.ts";
import {
  addConstant,
  addInput,
  addOutput,
  describeIntermediate,
  feedConstant,
  forgetIntermediate,
  removeInput,
  removeOutput,
} from "./graph_values.ts";
import { hasInside, subgraphsOf } from "./subgraphs.ts";

/**
 * The graph of a model, for edits and lookups: the node that computes a value, the nodes that use it, its type and
 * shape.
 *
 * A graph shares the messages of its model: nodes and tensors are not copied. Change nodes only through these
 * methods, which keep the lookup tables consistent. Nodes may be added in any order, because {@linkcode Graph.encode}
 * sorts them.
 *
 * The constructor takes over the model, so edits change it. Names of values are unique, also in the subgraphs of
 * nodes. Nodes with subgraphs (If, Loop, Scan) are kept and count as users of the outer values that they capture.
 * Edits that would have to change subgraphs call {@linkcode Graph.refuseControlFlow}.
 *
 * @example Clip the forces of a model
 * ```ts
 * import { decodeModel, Graph, lennardJonesModel } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const options = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
 * const graph = new Graph(decodeModel(lennardJonesModel(options)));
 * const unclipped = graph.freshName("forces");
 * graph.rename("forces", unclipped, { keepsOutput: true });
 * graph.add("Clip", [unclipped, graph.constantOf("f32", -10), graph.constantOf("f32", 10)], {
 *   outputs: ["forces"],
 * });
 * assertEquals(graph.producer("forces")?.opType, "Clip");
 * const bytes = graph.encode();
 * ```
 */
export class Graph {
  /** The model. Its nodes are in topological order after {@linkcode Graph.sort}. */
  readonly model: ModelProto;
  readonly #tables: GraphTables;

  /**
   * Creates a graph that edits the given model in place, and sorts the nodes of the model.
   *
   * @throws {RangeError} if the opset is not between 18 and 21
   * @throws {SyntaxError} if two nodes compute the same value, if a value that is used does not exist, or if the
   * graph has a cycle
   */
  constructor(model: ModelProto) {
    this.#tables = tablesOf(model);
    this.model = model;
    this.sort();
  }

  /** Version of ai.onnx that the model imports. */
  get opset(): number {
    return opsetOf(this.model);
  }

  /** Inputs that must be fed: those without an initial value. */
  get inputs(): readonly ValueInfoProto[] {
    const { proto } = this.#tables;
    const initial = new Set(proto.initializer.map(({ name }) => name));
    return proto.input.filter(({ name }) => !initial.has(name));
  }

  /** Outputs, in the order of the model. */
  get outputs(): readonly ValueInfoProto[] {
    return this.#tables.proto.output;
  }

  /** All nodes in topological order, followed by those that were added since the last sort. */
  get nodes(): readonly NodeProto[] {
    return [...this.#tables.nodes];
  }

  /** Returns the node that computes a value; `undefined` for inputs, constants and unknown names. */
  producer(name: string): NodeProto | undefined {
    return this.#tables.links.producer(name);
  }

  /** Returns the uses of a value by nodes. An output of the graph does not count as a use. */
  uses(name: string): readonly Use[] {
    return this.#tables.links.uses(name);
  }

  /** Returns whether this value is an output of the graph. */
  isOutput(name: string): boolean {
    return this.#tables.outputNames.has(name);
  }

  /** Returns whether a value of this name exists. */
  has(name: string): boolean {
    return hasValue(this.#tables, name);
  }

  /** Returns the tensor of a constant; `undefined` for other values. Initializers are not copied. */
  constant(name: string): TensorProto | undefined {
    const node = this.producer(name);
    return node?.opType === "Constant" ? tensorOfConstant(node) : this.#tables.constants.get(name);
  }

  /** Returns the element type of a value; `undefined` if the file does not declare it. */
  type(name: string): ElementType | undefined {
    const tensor = this.constant(name);
    if (tensor !== undefined) return elementTypeOf(tensor.dataType);
    const info = this.info(name);
    return info && describeValue(info).type;
  }

  /** Returns the shape of a value; `undefined` if the file does not declare it. */
  shape(name: string): Shape | undefined {
    const tensor = this.constant(name);
    if (tensor !== undefined) return tensor.dims.map(Number);
    const info = this.info(name);
    return info && describeValue(info).shape;
  }

  /** Returns the declaration of a value; `undefined` if the file has none. */
  info(name: string): ValueInfoProto | undefined {
    return this.#tables.infos.get(name);
  }

  /** Declares the type and shape of an intermediate value. Replaces an earlier declaration. */
  describe(info: ValueInfoProto): void {
    describeIntermediate(this.#tables, info);
  }

  /** Removes the declaration of an intermediate value when it no longer holds. */
  forget(name: string): void {
    forgetIntermediate(this.#tables, name);
  }

  /** Returns an unused name, and reserves it: the hint, with a number appended if the hint is in use. */
  freshName(hint: string): string {
    return this.#tables.names.fresh(hint);
  }

  /**
   * Adds an input.
   *
   * @throws {SyntaxError} if a value of this name exists
   */
  addInput(info: ValueInfoProto): void {
    addInput(this.#tables, info);
  }

  /**
   * Turns a constant into an input, and returns its tensor.
   *
   * @throws {RangeError} if no initializer has this name
   */
  feed(name: string): TensorProto {
    return feedConstant(this.#tables, name);
  }

  /**
   * Removes an input.
   *
   * @throws {RangeError} if the input does not exist, or is used
   */
  removeInput(name: string): void {
    removeInput(this.#tables, name);
  }

  /**
   * Makes a value an output.
   *
   * @throws {SyntaxError} if the value does not exist, or is an output already
   */
  addOutput(info: ValueInfoProto): void {
    addOutput(this.#tables, info);
  }

  /**
   * Removes an output. The value stays in the graph, and nodes that use it still do.
   *
   * @throws {RangeError} if the value is not an output
   */
  removeOutput(name: string): void {
    removeOutput(this.#tables, name);
  }

  /**
   * Adds a constant and returns its name. By default a number becomes a scalar, and a list a tensor with one axis.
   * 16-bit floats are rounded to nearest. Throws as {@linkcode makeTensorProto} does.
   */
  constantOf(
    type: ElementType,
    values: number | ArrayLike<number>,
    shape?: readonly number[],
    hint: string = "constant",
  ): string {
    const [array, lengths] = typeof values === "number"
      ? [[values], shape ?? []]
      : [values, shape ?? [values.length]];
    const numbers = type === "f16" || type === "bf16" ? bitsOfHalves(type, array) : array;
    return this.addConstant(makeTensorProto(type, lengths, numbers, this.freshName(hint)));
  }

  /** Adds a tensor as a constant, and returns its name, which must come from {@linkcode Graph.freshName}. */
  addConstant(tensor: TensorProto): string {
    return addConstant(this.#tables, tensor);
  }

  /**
   * Adds a node and returns it.
   *
   * @param inputs names of values; "" omits an optional input
   * @throws {RangeError} if an input does not exist
   * @throws {SyntaxError} if an output exists already
   */
  add(op: string, inputs: readonly string[], options: NodeOptions = {}): NodeProto {
    const node = addNode(this.#tables, op, inputs, options);
    this.#import(node.domain);
    return node;
  }

  /**
   * Adds a node with one output and returns the name of the output. Throws as {@linkcode Graph.add} does.
   *
   * @param output an unused name; by default one is created
   */
  make(
    op: string,
    inputs: readonly string[],
    attributes: Attributes = {},
    output?: string,
  ): string {
    const name = output ?? this.freshName(op.toLowerCase());
    this.add(op, inputs, { attributes, outputs: [name] });
    return name;
  }

  /**
   * Removes a node.
   *
   * @throws {RangeError} if one of its outputs is used
   */
  remove(node: NodeProto): void {
    removeNode(this.#tables, node);
  }

  /**
   * Replaces one node by another, whose outputs get the names of the old ones. Both must have the same number of
   * outputs, and the outputs of `node` must be unused.
   */
  replaceNode(old: NodeProto, node: NodeProto): void {
    replaceNode(this.#tables, old, node);
  }

  /** Replaces one input of a node. */
  setInput(node: NodeProto, index: number, name: string): void {
    setInput(this.#tables, node, index, name);
  }

  /**
   * Makes all nodes that use the value `from` use the value `to` instead. Outputs of the graph do not change.
   *
   * @param except a node that keeps using the old value
   * @throws {UnsupportedNodeError} if the subgraph of a node uses the old value
   */
  replaceUses(from: string, to: string, except?: NodeProto): void {
    replaceUses(this.#tables, from, to, except);
  }

  /**
   * Renames a value that a node computes, wherever it is used.
   *
   * @param options `keepsOutput`: true if an output of the graph keeps the old name, so that another node must then
   * compute it
   * @throws {RangeError} if no node computes the value, or the new name exists
   * @throws {UnsupportedNodeError} if the subgraph of a node uses the value
   */
  rename(from: string, to: string, options: { readonly keepsOutput?: boolean } = {}): void {
    renameValue(this.#tables, from, to, options.keepsOutput === true);
  }

  /**
   * Removes nodes and constants that no output needs, and returns the number of nodes removed.
   *
   * @param kept nodes and constants that are never removed
   */
  prune(kept: ReadonlySet<NodeProto | TensorProto> = new Set()): number {
    return pruneGraph(this.#tables, kept);
  }

  /**
   * Sorts the nodes topologically, and returns them. The order of nodes changes only if necessary.
   *
   * @throws {SyntaxError} if the graph has a cycle
   */
  sort(): readonly NodeProto[] {
    return sortNodes(this.#tables);
  }

  /** Sorts the nodes and returns the bytes of an .onnx file. Throws as {@linkcode encodeModel} does. */
  encode(): Uint8Array<ArrayBuffer> {
    this.sort();
    return encodeModel(this.model);
  }

  /**
   * Throws if the graph has nodes with subgraphs, for an edit that does not support them.
   *
   * @param op operator that is not supported in subgraphs; by default no subgraph is supported
   * @throws {UnsupportedNodeError} if a node has such a subgraph
   */
  refuseControlFlow(action: string, op?: string): void {
    for (const node of this.#tables.nodes) {
      const isInTheWay = op === undefined ? subgraphsOf(node).length > 0 : hasInside(node, op);
      if (isInTheWay) throw insideNode(action, node);
    }
  }

  #import(domain: string): void {
    const { opsetImport } = this.model;
    if (domain === "" || opsetImport.some((each) => each.domain === domain)) return;
    opsetImport.push(create(OperatorSetIdProtoSchema, { domain, version: 1n }));
  }
}
