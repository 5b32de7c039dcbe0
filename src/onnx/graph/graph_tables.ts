/**
 * Lookup tables of a graph that is being edited: nodes, producers and uses of values, and names in use.
 *
 * @module
 */

import { showNode } from "../codec/check_model.ts";
import type {
  GraphProto,
  ModelProto,
  NodeProto,
  TensorProto,
  ValueInfoProto,
} from "../codec/messages.ts";
import { assertOpset } from "../codec/opset.ts";
import { FreshNames } from "./fresh_names.ts";
import { malformed } from "./graph_errors.ts";
import { Links } from "./graph_links.ts";
import { namesInside } from "./subgraphs.ts";

/** Tables of one graph. Every edit keeps them consistent with the messages of the model. */
export interface GraphTables {
  /** Message of the graph that is edited. */
  readonly proto: GraphProto;
  /** All nodes, in the order of the last sort and then of addition. */
  readonly nodes: Set<NodeProto>;
  /** The node that computes each value, and the nodes that use it. */
  readonly links: Links;
  /** Initializers that are not also inputs, by name. */
  readonly constants: Map<string, TensorProto>;
  /** Names of sparse initializers. */
  readonly sparse: Set<string>;
  /** Declared types and shapes, by name of the value. */
  readonly infos: Map<string, ValueInfoProto>;
  /** Names of the inputs. */
  readonly inputNames: Set<string>;
  /** Names of the outputs. */
  readonly outputNames: Set<string>;
  /** Names of all values, including those in subgraphs. */
  readonly names: FreshNames;
  /** Names of nodes, which onnxruntime requires to be unique. */
  readonly nodeNames: FreshNames;
}

/**
 * Creates the tables of a model's graph.
 *
 * @throws {RangeError} if the opset is not between 18 and 21
 * @throws {SyntaxError} if two nodes compute the same value, or if a value that is used does not exist
 */
export function tablesOf(model: ModelProto): GraphTables {
  const { graph } = model;
  if (graph === undefined) throw malformed("it must have a graph", "no graph");
  assertOpset(model, "edit a model");
  const tables: GraphTables = {
    proto: graph,
    nodes: new Set(),
    links: new Links(),
    constants: new Map(),
    sparse: new Set(),
    infos: new Map(),
    inputNames: new Set(graph.input.map(({ name }) => name)),
    outputNames: new Set(graph.output.map(({ name }) => name)),
    names: new FreshNames(),
    nodeNames: new FreshNames(),
  };
  defineGiven(tables);
  for (const node of graph.node) linkNode(tables, node);
  assertAllMade(tables);
  return tables;
}

/** Returns whether the graph has a value of this name. */
export function hasValue(tables: GraphTables, name: string): boolean {
  return tables.links.producer(name) !== undefined || isGiven(tables, name);
}

/**
 * Reserves the name of a value that is about to be added. A name that `freshName` has returned may be reserved again.
 * Throws a SyntaxError if a value of this name exists.
 */
export function claimName(tables: GraphTables, name: string): void {
  if (hasValue(tables, name)) throw malformed(ONCE, `${JSON.stringify(name)} twice`);
  tables.names.take(name);
}

/** Adds a node to the tables. Throws a SyntaxError if a value with the name of one of its outputs exists. */
export function linkNode(tables: GraphTables, node: NodeProto): void {
  tables.links.link(node, (name) => isGiven(tables, name));
  tables.nodes.add(node);
  tables.nodeNames.take(node.name);
  for (const name of [...node.output, ...namesInside(node)]) tables.names.take(name);
}

/** Removes a node from the tables. */
export function unlinkNode({ nodes, links }: GraphTables, node: NodeProto): void {
  nodes.delete(node);
  links.unlink(node);
}

/** Returns whether a name belongs to an input or a constant. */
function isGiven({ constants, sparse, inputNames }: GraphTables, name: string): boolean {
  return constants.has(name) || sparse.has(name) || inputNames.has(name);
}

/** Registers the inputs, constants and declarations of the graph. Throws a SyntaxError if a name occurs twice. */
function defineGiven({ proto, inputNames, names, constants, sparse, infos }: GraphTables): void {
  const claim = (name: string) => {
    if (names.has(name)) throw malformed(ONCE, `${JSON.stringify(name)} twice`);
    names.take(name);
  };
  inputNames.forEach((name) => names.take(name));
  if (inputNames.size < proto.input.length) throw malformed(ONCE, "an input twice");
  for (const tensor of proto.initializer) {
    // Before IR version 4 every constant was also an input, whose value could be fed instead.
    if (inputNames.has(tensor.name)) continue;
    claim(tensor.name);
    constants.set(tensor.name, tensor);
  }
  for (const { values } of proto.sparseInitializer) {
    if (values === undefined || inputNames.has(values.name)) continue;
    claim(values.name);
    sparse.add(values.name);
  }
  for (const info of [...proto.valueInfo, ...proto.output, ...proto.input]) {
    infos.set(info.name, info);
  }
}

/** Throws a SyntaxError if an output, or a value that a node uses, does not exist. */
function assertAllMade(tables: GraphTables): void {
  for (const [name, node] of tables.links.used()) {
    if (hasValue(tables, name)) continue;
    throw malformed(
      "every value that is used must exist",
      `${JSON.stringify(name)}, which ${showNode(node)} uses`,
    );
  }
  const missing = tables.proto.output.find(({ name }) => !hasValue(tables, name));
  if (missing === undefined) return;
  throw malformed("every output must exist", JSON.stringify(missing.name));
}

const ONCE = "every value must be unique";
