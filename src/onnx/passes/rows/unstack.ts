import { intAttribute, intsAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import type { Graph } from "../../graph/graph.ts";
import type { KnownShape } from "../../infer/fact.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";
import { isElementwise, isReduction, reducedAxes, VIEWS } from "./axis_origins.ts";
import { addLike, copyRegion, type Region, regionBehind, viewed } from "./region.ts";
import { type Analyzed, networkBehind, rowChoiceOf } from "./row_choice.ts";

/** Maximum number of networks in a stack that is taken apart. Each network adds its own nodes. */
const MOST_NETWORKS = 128;

/**
 * Rewrites sums over stacks of networks whose rows a mask selects, so that the networks are computed one by one.
 * Returns the number of sums that were rewritten.
 */
export function unstackNetworks(graph: Graph, parameters: ReadonlySet<string>): number {
  const analyzed = { graph, facts: factsOf(graph), parameters };
  let count = 0;
  for (const node of graph.sort()) {
    if (node.opType !== "ReduceSum" || node.domain !== "") continue;
    const total = summedOneByOne(analyzed, node);
    if (total === undefined) continue;
    graph.replaceNode(node, graph.producer(total)!);
    count++;
  }
  if (count > 0) graph.prune();
  return count;
}

/**
 * Adds nodes that compute a sum over a stack of networks one by one, and returns the name of the sum; `undefined` for
 * other sums.
 */
function summedOneByOne(analyzed: Analyzed, node: NodeProto): string | undefined {
  const { graph, facts } = analyzed, [sum = ""] = node.input, last = graph.producer(sum);
  const shape = facts.of(sum).shape;
  const [stack, ...more] = shape === undefined ? [] : reducedAxes(node, shape.length, facts) ?? [];
  const wanted = facts.of(node.output[0] ?? "").shape;
  if (stack === undefined || more.length > 0 || last === undefined || !wanted) return undefined;
  const count = shape![stack]!;
  if (typeof count !== "number" || count < 2 || count > MOST_NETWORKS) return undefined;
  const choice = rowChoiceOf(analyzed, last, stack);
  if (choice === undefined || graph.isOutput(sum) || !networkBehind(analyzed, choice, last)) {
    return undefined;
  }
  const region = regionBehind(analyzed, sum, stack, node);
  if (!isStackOfNetworks(facts, region)) return undefined;
  const slices = unstacked(analyzed, region, sum, count);
  const total = slices.reduce((a, b) => graph.make("Add", [a, b]));
  return viewed(graph, total, without(shape!, stack), wanted);
}

/**
 * Returns whether a region is a stack of networks: all its nodes can be computed without the axis, and at least one
 * is a product of stacked matrices.
 */
function isStackOfNetworks(facts: GraphFacts, { nodes, axes }: Region): boolean {
  const isStack = ({ output: [made = ""] }: NodeProto) =>
    axes.get(made)! < facts.of(made).shape!.length - 2;
  const all = [...nodes];
  return all.some(({ opType }) => opType === "MatMul") && all.every((node) => {
    if (node.opType === "MatMul") return isStack(node);
    return isElementwise(node) || isReduction(node) ||
      ["Transpose", ...VIEWS].includes(node.opType);
  });
}

/** Adds nodes that compute the slices of a value along the axis of a region, and returns the names of the slices. */
function unstacked(analyzed: Analyzed, region: Region, value: string, count: number): string[] {
  const { graph } = analyzed;
  return Array.from({ length: count }, (_, index) => {
    const place = graph.constantOf("i64", index);
    return copyRegion(region, value, {
      border: (name, axis) => graph.make("Gather", [name, place], { axis }),
      node: (node, inputs) => sliced(analyzed, region, node, inputs),
    });
  });
}

/**
 * Adds nodes that compute a node without the axis of a region, and returns the name of the result. In `inputs`,
 * values with the axis are replaced by slices.
 */
function sliced(
  { graph, facts }: Analyzed,
  { axes }: Region,
  node: NodeProto,
  inputs: readonly string[],
): string {
  const { opType, input: [first = ""], output: [made = ""] } = node, [x = ""] = inputs;
  const axis = axes.get(made)!, shape = facts.of(made).shape!, from = facts.of(first).shape!;
  const own = axes.get(first) ?? -1;
  if (VIEWS.includes(opType)) return viewed(graph, x, without(from, own), without(shape, axis));
  if (opType === "Transpose") {
    const perm = intsAttribute(node, "perm") ?? shape.map((_, at) => shape.length - 1 - at);
    return graph.make("Transpose", [x], { perm: shifted(perm, own) });
  }
  if (isReduction(node)) {
    const gone = graph.constantOf("i64", shifted(reducedAxes(node, from.length, facts)!, own));
    return graph.make(opType, [x, gone], { keepdims: intAttribute(node, "keepdims", 1) });
  }
  // Other inputs broadcast along the axis: if they have it, its length is 1.
  const parts = inputs.map((name, i) => {
    const given = node.input[i]!, rank = given === "" ? 0 : facts.of(given).shape!.length;
    const at = axis - (shape.length - rank);
    if (axes.has(given) || at < 0) return name;
    return graph.make("Squeeze", [name, graph.constantOf("i64", [at])]);
  });
  return addLike(graph, node, parts);
}

function without(shape: KnownShape, axis: number): KnownShape {
  return shape.filter((_, at) => at !== axis);
}

/** Returns the indices of axes after the axis `gone` was removed, without this axis. */
function shifted(axes: readonly number[], gone: number): number[] {
  return axes.filter((axis) => axis !== gone).map((axis) => axis > gone ? axis - 1 : axis);
}
