import { create } from "@bufbuild/protobuf";
import { NodeProtoSchema, OperatorSetIdProtoSchema } from "onnx-buf";
import { attributeProtos, type Attributes } from "../codec/attributes.ts";
import { showNode } from "../codec/check_model.ts";
import { encodeModel } from "../codec/codec.ts";
import { tensorOfConstant } from "../codec/constant_node.ts";
import { type ElementType, elementTypeOf } from "../codec/element_type.ts";
import { bitsOfHalves } from "../evaluate/operators/rounding.ts";
import { FreshNames } from "./fresh_names.ts";
import { insideNode, malformed } from "./graph_errors.ts";
import { Links, type Use } from "./graph_links.ts";
import { isSorted, topologicalOrder } from "./graph_order.ts";
import type {
  GraphProto,
  ModelProto,
  NodeProto,
  TensorProto,
  ValueInfoProto,
} from "../codec/messages.ts";
import { assertOpset, opsetOf } from "../codec/opset.ts";
import { capturesOf, hasInside, hasSubgraphs, namesInside, subgraphsOf } from "./subgraphs.ts";
import { tensorProto } from "../codec/tensor_proto.ts";
import { describeValue, type Shape, valueInfo } from "../codec/value_info.ts";

/** How to add a node. */
export interface NodeOptions {
  /** Its attributes. */
  readonly attributes?: Attributes;
  /**
   * Names of what it makes, or how many to name.
   *
   * @default 1
   */
  readonly outputs?: readonly string[] | number;
  /**
   * The domain of its operator, which the model imports (version 1) if it does not yet.
   *
   * @default "", which is ai.onnx
   */
  readonly domain?: string;
}

/**
 * A model's graph, to be looked up and edited: who makes a value, who uses it, and what it is.
 *
 * It is thin: nodes and tensors are the messages of the model, constants are never copied. Change nodes only through
 * the methods here, which keep the maps. Nodes may be added in any order: {@linkcode encode} sorts them.
 *
 * Takes over the model: what is edited is edited there. Names of values are unique, inside of graphs in nodes too.
 * Nodes with graphs inside (If, Loop, Scan) are kept and count as users of what they take from outside;
 * {@linkcode refuseControlFlow} is for edits that would have to look into them.
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
  /** The model, with the graph as it is but for the order of its nodes. */
  readonly model: ModelProto;
  readonly #graph: GraphProto;
  readonly #nodes = new Set<NodeProto>();
  readonly #links = new Links();
  readonly #constants = new Map<string, TensorProto>();
  readonly #sparse = new Set<string>();
  readonly #infos = new Map<string, ValueInfoProto>();
  readonly #inputNames: Set<string>;
  readonly #outputNames: Set<string>;
  /** Of values, at any depth. */
  readonly #names = new FreshNames();
  /** Of nodes, which the runtime wants to be different too. */
  readonly #nodeNames = new FreshNames();

  /**
   * The graph of a model, its nodes sorted.
   *
   * @throws {RangeError} for another opset than 18 to 21
   * @throws {SyntaxError} when a value is made twice or not at all, or needs itself
   */
  constructor(model: ModelProto) {
    if (model.graph === undefined) throw malformed("it must have a graph", "none");
    assertOpset(model, "edit a model");
    this.model = model;
    this.#graph = model.graph;
    this.#inputNames = new Set(model.graph.input.map(({ name }) => name));
    this.#outputNames = new Set(model.graph.output.map(({ name }) => name));
    this.#define();
    for (const node of this.#graph.node) this.#link(node);
    this.#checkUses();
    this.sort();
  }

  /** The version of its operators. */
  get opset(): number {
    return opsetOf(this.model);
  }

  /** What must be fed: inputs without those that have an initial value. */
  get inputs(): readonly ValueInfoProto[] {
    const initial = new Set(this.#graph.initializer.map(({ name }) => name));
    return this.#graph.input.filter(({ name }) => !initial.has(name));
  }

  /** What comes out. */
  get outputs(): readonly ValueInfoProto[] {
    return this.#graph.output;
  }

  /** All nodes, in the order in which they stand: sorted but for those added since. */
  get nodes(): readonly NodeProto[] {
    return [...this.#nodes];
  }

  /** The node that makes a value; `undefined` for inputs, constants and names that there are not. */
  producer(name: string): NodeProto | undefined {
    return this.#links.producer(name);
  }

  /** Where a value is used; that it is an output of the graph is not among it. */
  uses(name: string): readonly Use[] {
    return this.#links.uses(name);
  }

  /** Does this value come out of the graph? */
  isOutput(name: string): boolean {
    return this.#outputNames.has(name);
  }

  /** Is there a value of this name? */
  has(name: string): boolean {
    return this.producer(name) !== undefined || this.#isGiven(name);
  }

  /** The tensor of a value that is always the same: the model's own, not a copy. */
  constant(name: string): TensorProto | undefined {
    const node = this.producer(name);
    return node?.opType === "Constant" ? tensorOfConstant(node) : this.#constants.get(name);
  }

  /** The type of a value's elements, where the file says it. */
  type(name: string): ElementType | undefined {
    const tensor = this.constant(name);
    if (tensor !== undefined) return elementTypeOf(tensor.dataType);
    const info = this.#infos.get(name);
    return info && describeValue(info).type;
  }

  /** The shape of a value, where the file says it. */
  shape(name: string): Shape | undefined {
    const tensor = this.constant(name);
    if (tensor !== undefined) return tensor.dims.map(Number);
    const info = this.#infos.get(name);
    return info && describeValue(info).shape;
  }

  /** What the file says of a value: an input, an output, or one in between. */
  info(name: string): ValueInfoProto | undefined {
    return this.#infos.get(name);
  }

  /** Says the type and shape of a value in between. */
  describe(info: ValueInfoProto): void {
    this.forget(info.name);
    this.#infos.set(info.name, info);
    this.#graph.valueInfo.push(info);
  }

  /** Drops what the file says of a value in between, which no longer holds. */
  forget(name: string): void {
    const info = this.#infos.get(name);
    const at = info === undefined ? -1 : this.#graph.valueInfo.indexOf(info);
    if (at === -1) return;
    this.#graph.valueInfo.splice(at, 1);
    this.#infos.delete(name);
  }

  /** A name that no value has: the hint, with a number where it is taken. */
  freshName(hint: string): string {
    return this.#names.fresh(hint);
  }

  /**
   * Adds an input.
   *
   * @throws {SyntaxError} when there is a value of this name
   */
  addInput(info: ValueInfoProto): void {
    this.#claim(info.name);
    this.#inputNames.add(info.name);
    this.#infos.set(info.name, info);
    this.#graph.input.push(info);
  }

  /**
   * Lets a tensor that is always the same be fed instead; answers with what it was.
   *
   * @throws {RangeError} when there is no tensor of this name, or a node makes it
   */
  feed(name: string): TensorProto {
    const tensor = this.#constants.get(name);
    if (tensor === undefined) {
      throw new RangeError(
        `Cannot feed ${
          JSON.stringify(name)
        } as it must be a tensor of the graph that is always the same: it is not`,
      );
    }
    this.#constants.delete(name);
    this.#graph.initializer = this.#graph.initializer.filter((each) => each !== tensor);
    this.forget(name);
    const info = valueInfo(name, elementTypeOf(tensor.dataType)!, tensor.dims.map(Number));
    this.#inputNames.add(name);
    this.#infos.set(name, info);
    this.#graph.input.push(info);
    return tensor;
  }

  /**
   * Takes an input away.
   *
   * @throws {RangeError} when there is none of this name, or something uses it
   */
  removeInput(name: string): void {
    const at = this.#graph.input.findIndex((input) => input.name === name);
    if (at === -1 || this.uses(name).length > 0 || this.isOutput(name)) {
      throw new RangeError(
        `Cannot take an input away as it must be one that nothing uses: current value is ${
          JSON.stringify(name)
        }`,
      );
    }
    this.#graph.input.splice(at, 1);
    this.#inputNames.delete(name);
    this.#infos.delete(name);
  }

  /**
   * Lets a value come out.
   *
   * @throws {SyntaxError} when there is no such value, or it comes out already
   */
  addOutput(info: ValueInfoProto): void {
    if (!this.has(info.name) || this.isOutput(info.name)) {
      throw malformed("every output must be made, and come out once", JSON.stringify(info.name));
    }
    this.forget(info.name);
    this.#outputNames.add(info.name);
    this.#infos.set(info.name, info);
    this.#graph.output.push(info);
  }

  /**
   * Lets a value no longer come out; who uses it still does.
   *
   * @throws {RangeError} when it does not come out
   */
  removeOutput(name: string): void {
    const at = this.#graph.output.findIndex((output) => output.name === name);
    if (at === -1) {
      throw new RangeError(
        `Cannot take an output away as it must be one of ${
          [...this.#outputNames].join(", ") || "none"
        }: ` +
          `current value is ${JSON.stringify(name)}`,
      );
    }
    const [info] = this.#graph.output.splice(at, 1);
    this.#outputNames.delete(name);
    if (this.producer(name) !== undefined) this.#graph.valueInfo.push(info!);
    // What is fed or constant is described elsewhere.
    const input = this.#graph.input.find((each) => each.name === name);
    if (input !== undefined) this.#infos.set(name, input);
  }

  /**
   * Adds a constant; answers with its name. Numbers of 16 bits are rounded to the nearest, others as
   * {@linkcode tensorProto} does. Throws as that does.
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
    return this.addConstant(tensorProto(type, lengths, numbers, this.freshName(hint)));
  }

  /** Adds a tensor, which must have a name from {@linkcode freshName}; answers with it. */
  addConstant(tensor: TensorProto): string {
    this.#claim(tensor.name);
    this.#constants.set(tensor.name, tensor);
    this.#graph.initializer.push(tensor);
    return tensor.name;
  }

  /**
   * Adds a node; answers with it, and so with the names of what it makes.
   *
   * @throws {RangeError} when there is no value of an input's name; "" leaves an input out
   * @throws {SyntaxError} when it makes a value that is made already
   */
  add(op: string, inputs: readonly string[], options: NodeOptions = {}): NodeProto {
    const { attributes = {}, outputs = 1, domain = "" } = options;
    const missing = inputs.find((name) => name !== "" && !this.has(name));
    if (missing !== undefined) {
      throw new RangeError(
        `Cannot add a node ${op} as its inputs must be values of the graph: current value is ${
          JSON.stringify(missing)
        }`,
      );
    }
    const names = typeof outputs === "number"
      ? Array.from({ length: outputs }, () => this.freshName(op.toLowerCase()))
      : [...outputs];
    const node = create(NodeProtoSchema, {
      name: this.#nodeNames.fresh(`${op}_${names[0]}`),
      opType: op,
      domain,
      input: [...inputs],
      output: names,
      attribute: attributeProtos(attributes),
    });
    this.#link(node);
    this.#import(domain);
    return node;
  }

  /**
   * Adds a node with one output; answers with the name of what it makes. Throws as {@linkcode add} does.
   *
   * @param output a name that is free; left out, one is found
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
   * Takes a node out.
   *
   * @throws {RangeError} when something uses what it makes
   */
  remove(node: NodeProto): void {
    const used = node.output.find((name) => this.uses(name).length > 0 || this.isOutput(name));
    if (used !== undefined) {
      throw new RangeError(
        `Cannot remove ${showNode(node)} as nothing must use what it makes: current use is of ${
          JSON.stringify(used)
        }`,
      );
    }
    this.#unlink(node);
    for (const name of node.output) this.forget(name);
  }

  /**
   * Puts one node in the place of another: what the old one made, the new one makes under the old names. Both must
   * make as much, and nothing may use the new one yet.
   */
  replaceNode(old: NodeProto, node: NodeProto): void {
    const names = [...old.output];
    this.#unlink(old);
    this.#unlink(node);
    node.output = names;
    this.#link(node);
  }

  /** Gives a node another input. */
  setInput(node: NodeProto, index: number, name: string): void {
    const old = node.input[index] ?? "";
    this.#links.dropUse(old, node, index);
    while (node.input.length < index) node.input.push("");
    node.input[index] = name;
    this.#links.addUse(name, node, index);
  }

  /**
   * Lets everything that uses one value use another; outputs of the graph stay what they are.
   *
   * @param except this node goes on using the old one
   * @throws {UnsupportedNodeError} where a graph inside of a node uses it
   */
  replaceUses(from: string, to: string, except?: NodeProto): void {
    for (const { node, index } of [...this.uses(from)]) {
      if (node === except) continue;
      if (index < 0) throw insideNode(`replace ${JSON.stringify(from)}`, node);
      this.setInput(node, index, to);
    }
  }

  /**
   * Gives a value that a node makes another name, everywhere.
   *
   * @param options `keepsOutput`: an output of the graph keeps the old name, which something else must make then
   * @throws {RangeError} when no node makes it, or the new name is taken
   * @throws {UnsupportedNodeError} where a graph inside of a node uses it
   */
  rename(from: string, to: string, options: { readonly keepsOutput?: boolean } = {}): void {
    const node = this.producer(from);
    if (node === undefined || this.has(to)) {
      const value = node === undefined
        ? JSON.stringify(from)
        : `${JSON.stringify(to)}, which is taken`;
      throw new RangeError(
        `Cannot rename a value as a node must make it, and the new name must be free: current value is ${value}`,
      );
    }
    this.#names.take(to);
    this.#links.rename(from, to);
    this.replaceUses(from, to);
    if (options.keepsOutput !== true) {
      for (const output of this.#graph.output) if (output.name === from) output.name = to;
      if (this.#outputNames.delete(from)) this.#outputNames.add(to);
    }
    const info = this.#infos.get(from);
    if (info === undefined) return;
    this.#infos.delete(from);
    if (!this.#graph.valueInfo.includes(info) && options.keepsOutput === true) {
      this.#infos.set(from, info);
      return;
    }
    info.name = to;
    this.#infos.set(to, info);
  }

  /**
   * Takes out nodes and constants that no output needs; answers with how many nodes.
   *
   * @param kept nodes and constants that stay in any case
   */
  prune(kept: ReadonlySet<NodeProto | TensorProto> = new Set()): number {
    let count = 0;
    for (const node of [...this.sort()].reverse()) {
      if (kept.has(node)) continue;
      if (node.output.some((name) => this.uses(name).length > 0 || this.isOutput(name))) continue;
      this.remove(node);
      count++;
    }
    const isNeeded = (tensor: TensorProto) =>
      kept.has(tensor) || this.uses(tensor.name).length > 0 || this.isOutput(tensor.name) ||
      this.#inputNames.has(tensor.name);
    for (const tensor of this.#graph.initializer) {
      if (!isNeeded(tensor)) this.#constants.delete(tensor.name);
    }
    this.#graph.initializer = this.#graph.initializer.filter(isNeeded);
    return count;
  }

  /**
   * Sorts the nodes, so that each stands behind what it needs, and where it stood before if that is right.
   *
   * @throws {SyntaxError} when a value needs itself
   */
  sort(): readonly NodeProto[] {
    const isBehind = (node: NodeProto, done: ReadonlySet<NodeProto>) => {
      const isDone = (name: string) => {
        const needed = this.#links.producer(name);
        return needed === undefined || done.has(needed);
      };
      return node.input.every(isDone) &&
        (!hasSubgraphs(node) || [...capturesOf(node)].every(isDone));
    };
    if (isSorted(this.#nodes, isBehind)) return this.#graph.node = [...this.#nodes];
    const order = topologicalOrder(this.#nodes, (node) => {
      const needed = hasSubgraphs(node) ? [...node.input, ...capturesOf(node)] : node.input;
      return needed.map((name) => this.producer(name)).filter((each) => each !== undefined);
    });
    if (!Array.isArray(order)) {
      throw malformed("no value must need itself", `a circle through ${showNode(order)}`);
    }
    this.#nodes.clear();
    for (const node of order) this.#nodes.add(node);
    this.#graph.node = order;
    return order;
  }

  /** The bytes of an .onnx file with this graph, its nodes sorted. Throws as {@linkcode encodeModel} does. */
  encode(): Uint8Array<ArrayBuffer> {
    this.sort();
    return encodeModel(this.model);
  }

  /**
   * For an edit that would have to look into graphs inside of nodes.
   *
   * @param op only nodes with this operator inside are in the way; left out, all are
   * @throws {UnsupportedNodeError} when there is such a node
   */
  refuseControlFlow(action: string, op?: string): void {
    for (const node of this.#nodes) {
      const isInTheWay = op === undefined ? subgraphsOf(node).length > 0 : hasInside(node, op);
      if (isInTheWay) throw insideNode(action, node);
    }
  }

  #import(domain: string): void {
    const { opsetImport } = this.model;
    if (domain === "" || opsetImport.some((each) => each.domain === domain)) return;
    opsetImport.push(create(OperatorSetIdProtoSchema, { domain, version: 1n }));
  }

  #define(): void {
    const { input, initializer, sparseInitializer, valueInfo, output } = this.#graph;
    const claim = (name: string) => {
      if (this.#names.has(name)) throw malformed(ONCE, `${JSON.stringify(name)} twice`);
      this.#names.take(name);
    };
    this.#inputNames.forEach((name) => this.#names.take(name));
    if (this.#inputNames.size < input.length) throw malformed(ONCE, "an input twice");
    for (const tensor of initializer) {
      // Before IR version 4 every constant was an input too, which may be fed instead.
      if (this.#inputNames.has(tensor.name)) continue;
      claim(tensor.name);
      this.#constants.set(tensor.name, tensor);
    }
    for (const { values } of sparseInitializer) {
      if (values === undefined || this.#inputNames.has(values.name)) continue;
      claim(values.name);
      this.#sparse.add(values.name);
    }
    for (const info of [...valueInfo, ...output, ...input]) this.#infos.set(info.name, info);
  }

  /** Names may have been given out by {@linkcode freshName} before. */
  #claim(name: string): void {
    if (this.has(name)) throw malformed(ONCE, `${JSON.stringify(name)} twice`);
    this.#names.take(name);
  }

  #link(node: NodeProto): void {
    this.#links.link(node, (name) => this.#isGiven(name));
    this.#nodes.add(node);
    this.#nodeNames.take(node.name);
    for (const name of [...node.output, ...namesInside(node)]) this.#names.take(name);
  }

  #unlink(node: NodeProto): void {
    this.#nodes.delete(node);
    this.#links.unlink(node);
  }

  /** Is there a value of this name that no node makes? */
  #isGiven(name: string): boolean {
    return this.#constants.has(name) || this.#sparse.has(name) || this.#inputNames.has(name);
  }

  #checkUses(): void {
    for (const [name, node] of this.#links.used()) {
      if (this.has(name)) continue;
      throw malformed(
        "every value that is used must be made",
        `${JSON.stringify(name)}, which ${showNode(node)} uses`,
      );
    }
    const missing = this.#graph.output.find(({ name }) => !this.has(name));
    if (missing === undefined) return;
    throw malformed("every output must be made", JSON.stringify(missing.name));
  }
}

const ONCE = "every value must be made once";
