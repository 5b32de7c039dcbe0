/**
 * Detection of graphs whose results do not change when a system is translated.
 *
 * @module
 */

import type { ModelProto, NodeProto } from "onnx-buf";
import { Graph } from "../graph/graph.ts";
import { GraphFacts } from "./facts.ts";

/**
 * Dependence of a tensor on a translation of all positions by t: none; shifted by t in each row, as the positions
 * are; or unknown, which includes any other dependence.
 */
type Dependence = "none" | "shifted" | "unknown";

/**
 * Returns whether a graph certainly gives the same outputs when all positions are translated, because positions
 * enter only as differences of rows. False means that this is unknown.
 *
 * @param positions name of the input with the positions
 */
export function isTranslationInvariant(file: ModelProto, positions: string): boolean {
  const graph = file.graph;
  if (graph === undefined) return false;
  const facts = new GraphFacts(new Graph(file));
  const dependences = new Map<string, Dependence>([[positions, "shifted"]]);
  // ONNX requires nodes to be sorted, so the inputs of a node were visited before it.
  for (const node of graph.node) {
    const inputs = node.input.map((name) => dependences.get(name) ?? "none");
    const dependence = dependenceOf(node, inputs, facts);
    if (dependence === "none") continue;
    for (const name of node.output) dependences.set(name, dependence);
  }
  return graph.output.every(({ name }) => !dependences.has(name));
}

function dependenceOf(
  node: NodeProto,
  inputs: readonly Dependence[],
  facts: GraphFacts,
): Dependence {
  // A subgraph may use any tensor of this graph.
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
  facts: GraphFacts,
) => Dependence | undefined;

/** Rule for operators that only copy or repeat rows of their first input. */
const ofRows: Rule = ([data, ...others]) =>
  others.every((one) => one === "none") ? data : undefined;

/**
 * Dependence of an operator's output if at least one input depends on the translation. `undefined` means unknown.
 */
const RULES: Readonly<Record<string, Rule>> = {
  Shape: () => "none",
  Size: () => "none",
  Identity: ofRows,
  Cast: ofRows,
  Expand: ofRows,
  Gather: (inputs, node, facts) =>
    intOf(node, "axis", 0) === 0 ? ofRows(inputs, node, facts) : undefined,
  GatherND(inputs, node, facts) {
    // Only indices with one number each select whole rows.
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
