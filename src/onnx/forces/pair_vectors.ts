import { intAttribute } from "../codec/attributes.ts";
import { between } from "../passes/path.ts";
import type { Graph } from "../graph/graph.ts";
import { factsOf } from "../infer/shared_facts.ts";
import type { NodeProto } from "../codec/messages.ts";

/**
 * Names of the values from which the vectors of pairs are computed, and of the energy that depends on these vectors.
 */
export interface PairInputs {
  /** Positions, [N, 3]. */
  readonly positions: string;
  /** Shifts of each list of pairs, [E, 3]. */
  readonly shifts: readonly string[];
  /** Energy: one number, or one per system or per atom. */
  readonly energy: string;
}

/**
 * Returns for each list the name of the vectors of its pairs, [E, 3], which are differences of positions plus shifts.
 * Returns `undefined` if the energy depends on positions or shifts in any other way. Virials are computed from these
 * vectors because they are short whatever periodic image the positions are in, which reduces rounding errors.
 */
export function pairVectors(
  graph: Graph,
  { positions, shifts, energy }: PairInputs,
): string[] | undefined {
  const { nodes } = between(graph, factsOf(graph), [positions, ...shifts], [energy]);
  const onTheWay = new Set(nodes);
  const shifted = shifts.flatMap((name) =>
    graph.uses(name).map(({ node }) => node).filter((node) => onTheWay.has(node)).slice(0, 1)
  );
  if (shifts.length === 0 || shifted.length < shifts.length) return undefined;
  if (!shifted.every(({ opType }) => /^(Add|Sub)$/.test(opType))) return undefined;
  // A strain moves these values as it moves positions, v to v + v·ε, up to the nodes where shifts are added.
  const rows = new Set([positions, ...shifts]), makers = new Set<NodeProto>(shifted);
  for (const node of nodes) {
    if (shifted.includes(node) || !keepsRows(node, rows)) continue;
    rows.add(node.output[0]!);
    makers.add(node);
  }
  const isAll = shifted.every(({ input }) => input.every((name) => rows.has(name))) &&
    [...rows].every((name) =>
      graph.uses(name).every(({ node }) => !onTheWay.has(node) || makers.has(node))
    );
  return isAll ? shifted.map(({ output }) => output[0]!) : undefined;
}

/** Returns whether a node only adds, subtracts or selects rows of the values in `rows`. */
function keepsRows(node: NodeProto, rows: ReadonlySet<string>): boolean {
  const { opType, domain, input: [a = "", b = ""] } = node;
  if (domain !== "" && domain !== "ai.onnx") return false;
  if (opType === "Add" || opType === "Sub") return rows.has(a) && rows.has(b);
  if (opType === "Gather") return rows.has(a) && intAttribute(node, "axis", 0) === 0;
  if (opType === "GatherND") return rows.has(a) && intAttribute(node, "batch_dims", 0) === 0;
  return opType === "Identity" && rows.has(a);
}
