/**
 * Graphs whose results do not change when a system is translated.
 *
 * @module
 */

import type { ModelProto, NodeProto } from "onnx-buf";
import { Graph } from "../graph/graph.ts";
import { Facts } from "./facts.ts";

/**
 * Dependence of a tensor on a translation of all positions by t: none; shifted by t in each row, as the positions
 * themselves; or unknown, which includes any other dependence.
 */
type Dependence = "none" | "shifted" | "unknown";

/**
 * Returns whether it follows from a graph that its outputs do not change when all positions are translated: positions
 * enter only by differences of rows. False means that it does not follow.
 *
 * @param positions the name of the input with the positions
 */
export function isTranslationInvariant(file: ModelProto, positions: string): boolean {
  const graph = file.graph;
  if (graph === undefined) return false;
  const facts = new Facts(new Graph(file));
  const dependences = new Map<string, Dependence>([[positions, "shifted"]]);
  // Nodes are in an order in which inputs come first, as ONNX demands.
  for (const node of graph.node) {
    const inputs = node.input.map((name) => dependences.get(name) ?? "none");
    const dependence = dependenceOf(node, inputs, facts);
    if (dependence === "none") continue;
    for (const name of node.output) dependences.set(name, dependence);
  }
  return graph.output.every(({ name }) => !dependences.has(name));
}

function dependenceOf(node: NodeProto, inputs: readonly Dependence[], facts: Facts): Dependence {
  // A graph inside a node may use any tensor of this one.
  if (node.attribute.some(({ g, graphs }) => g !== undefined || graphs.length > 0)) {
    return "unknown";
  }
  if (inputs.every((one) => one === "none")) return "none";
  const rule = node.domain === "" ? RULES[node.opType] : undefined;
  return rule?.(inputs, node, facts) ?? "unknown";
}

type Rule = (
  inputs: readonly Dependence[],
  node: NodeProto,
  facts: Facts,
) => Dependence | undefined;

/** A rule for operators that only copy or repeat rows of their first input. */
const ofRows: Rule = ([data, ...others]) =>
  others.every((one) => one === "none") ? data : undefined;

/** Operators → what their output depends on; `undefined` is unknown. At least one input depends on the translation. */
const RULES: Readonly<Record<string, Rule>> = {
  Shape: () => "none",
  Size: () => "none",
  Identity: ofRows,
  Cast: ofRows,
  Expand: ofRows,
  Gather: (inputs, node, facts) =>
    intOf(node, "axis", 0) === 0 ? ofRows(inputs, node, facts) : undefined,
  GatherND(inputs, node, facts) {
    // Indices of one number each are those of rows.
    const isOfRows = facts.of(node.input[1]!).shape?.at(-1) === 1;
    return isOfRows && intOf(node, "batch_dims", 0) === 0 ? ofRows(inputs, node, facts) : undefined;
  },
  Add: ([a, b]) => a === "none" ? b : b === "none" ? a : undefined,
  Sub([a, b], { input }) {
    if (a === "shifted" && b === "shifted" || input[0] === input[1]) return "none";
    return b === "none" ? a : undefined;
  },
};

function intOf({ attribute }: NodeProto, name: string, otherwise: number): number {
  return Number(attribute.find((one) => one.name === name)?.i ?? otherwise);
}
