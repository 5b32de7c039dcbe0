/**
 * Edits of a graph's nodes.
 *
 * @module
 */

import { create } from "@bufbuild/protobuf";
import { NodeProtoSchema } from "onnx-buf";
import { attributeProtos, type Attributes } from "../codec/attributes.ts";
import { showNode } from "../codec/check_model.ts";
import type { NodeProto, TensorProto } from "../codec/messages.ts";
import { insideNode } from "./graph_errors.ts";
import { sortNodes } from "./graph_order.ts";
import { type GraphTables, hasValue, linkNode, unlinkNode } from "./graph_tables.ts";
import { forgetIntermediate } from "./graph_values.ts";

/** Options of `Graph.add`. */
export interface NodeOptions {
  /** Attributes of the node. */
  readonly attributes?: Attributes;
  /**
   * Names of the node's outputs, or the number of outputs for which names are created.
   *
   * @default 1
   */
  readonly outputs?: readonly string[] | number;
  /**
   * Domain of the operator. If the model does not import it yet, version 1 is imported.
   *
   * @default "", which is ai.onnx
   */
  readonly domain?: string;
}

/** Adds a node and returns it. Throws as `Graph.add` does. */
export function addNode(
  tables: GraphTables,
  op: string,
  inputs: readonly string[],
  { attributes = {}, outputs = 1, domain = "" }: NodeOptions,
): NodeProto {
  const missing = inputs.find((name) => name !== "" && !hasValue(tables, name));
  if (missing !== undefined) {
    throw new RangeError(
      `Cannot add a node ${op}: its inputs must be values of the graph; got ${
        JSON.stringify(missing)
      }`,
    );
  }
  const names = typeof outputs === "number"
    ? Array.from({ length: outputs }, () => tables.names.fresh(op.toLowerCase()))
    : [...outputs];
  const node = create(NodeProtoSchema, {
    name: tables.nodeNames.fresh(`${op}_${names[0]}`),
    opType: op,
    domain,
    input: [...inputs],
    output: names,
    attribute: attributeProtos(attributes),
  });
  linkNode(tables, node);
  return node;
}

/** Removes a node. Throws a RangeError if one of its outputs is used. */
export function removeNode(tables: GraphTables, node: NodeProto): void {
  const used = node.output.find((name) => isUsed(tables, name));
  if (used !== undefined) {
    throw new RangeError(
      `Cannot remove ${showNode(node)}: its outputs must be unused; a node or the graph uses ${
        JSON.stringify(used)
      }`,
    );
  }
  unlinkNode(tables, node);
  for (const name of node.output) forgetIntermediate(tables, name);
}

/** Replaces a node by another one, whose outputs get the names of the replaced outputs. */
export function replaceNode(tables: GraphTables, old: NodeProto, node: NodeProto): void {
  const names = [...old.output];
  unlinkNode(tables, old);
  unlinkNode(tables, node);
  node.output = names;
  linkNode(tables, node);
}

/** Replaces the input of a node at an index. */
export function setInput(
  { links }: GraphTables,
  node: NodeProto,
  index: number,
  name: string,
): void {
  const old = node.input[index] ?? "";
  links.dropUse(old, node, index);
  while (node.input.length < index) node.input.push("");
  node.input[index] = name;
  links.addUse(name, node, index);
}

/**
 * Makes all nodes except `except` use `to` instead of `from`. Throws an UnsupportedNodeError if a subgraph uses
 * `from`.
 */
export function replaceUses(
  tables: GraphTables,
  from: string,
  to: string,
  except?: NodeProto,
): void {
  for (const { node, index } of [...tables.links.uses(from)]) {
    if (node === except) continue;
    if (index < 0) throw insideNode(`replace ${JSON.stringify(from)}`, node);
    setInput(tables, node, index, to);
  }
}

/** Renames the output of a node. Throws as `Graph.rename` does. */
export function renameValue(
  tables: GraphTables,
  from: string,
  to: string,
  keepsOutput: boolean,
): void {
  assertRenamable(tables, from, to);
  const { names, links, proto, outputNames } = tables;
  names.take(to);
  links.rename(from, to);
  replaceUses(tables, from, to);
  if (!keepsOutput) {
    for (const output of proto.output) if (output.name === from) output.name = to;
    if (outputNames.delete(from)) outputNames.add(to);
  }
  renameInfo(tables, from, to, keepsOutput);
}

function assertRenamable(tables: GraphTables, from: string, to: string): void {
  const isMade = tables.links.producer(from) !== undefined;
  if (isMade && !hasValue(tables, to)) return;
  const value = isMade ? `${JSON.stringify(to)}, which exists` : JSON.stringify(from);
  throw new RangeError(
    `Cannot rename a value: it must be the output of a node, and the new name must be unused; got ${value}`,
  );
}

/** Renames the declaration of a value. If an output keeps the old name, the output also keeps its declaration. */
function renameInfo(
  { infos, proto }: GraphTables,
  from: string,
  to: string,
  keepsOutput: boolean,
): void {
  const info = infos.get(from);
  if (info === undefined || keepsOutput && !proto.valueInfo.includes(info)) return;
  infos.delete(from);
  info.name = to;
  infos.set(to, info);
}

/** Removes nodes and constants that no output needs, and returns the number of nodes removed. */
export function pruneGraph(
  tables: GraphTables,
  kept: ReadonlySet<NodeProto | TensorProto>,
): number {
  let count = 0;
  for (const node of [...sortNodes(tables)].reverse()) {
    if (kept.has(node) || node.output.some((name) => isUsed(tables, name))) continue;
    removeNode(tables, node);
    count++;
  }
  const { proto, constants, inputNames } = tables;
  const isNeeded = (tensor: TensorProto) =>
    kept.has(tensor) || isUsed(tables, tensor.name) || inputNames.has(tensor.name);
  for (const tensor of proto.initializer) {
    if (isNeeded(tensor)) continue;
    constants.delete(tensor.name);
    // A value that gets this name later would have the declared shape of the constant.
    forgetIntermediate(tables, tensor.name);
  }
  proto.initializer = proto.initializer.filter(isNeeded);
  return count;
}

/** Returns whether a node uses a value, or the value is an output of the graph. */
function isUsed({ links, outputNames }: GraphTables, name: string): boolean {
  return links.uses(name).length > 0 || outputNames.has(name);
}
