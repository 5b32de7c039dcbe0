import { intAttribute } from "../codec/attributes.ts";
import { between } from "../passes/path.ts";
import type { Graph } from "../graph/graph.ts";
import { GraphFacts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";

/** Values from which pair vectors are computed, and the energy that is computed from them. */
export interface PairInputs {
  /** Positions, [N, 3]. */
  readonly positions: string;
  /** Shifts of each list of pairs, [E, 3]. */
  readonly shifts: readonly string[];
  /** Energy. */
  readonly energy: string;
}

/**
 * Returns the vectors of the pairs of each list, [E, 3]: differences of positions plus shifts, if everything else is
 * computed from them; otherwise `undefined`. Virials use them because they are short whatever periodic image the
 * positions are in, which avoids rounding errors.
 */
export function pairVectors(
  graph: Graph,
  { positions, shifts, energy }: PairInputs,
): string[] | undefined {
  const { nodes } = between(graph, new GraphFacts(graph), [positions, ...shifts], [energy]);
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

/** Returns whether a node makes rows by addition, subtraction or selection of rows. */
function keepsRows(node: NodeProto, rows: ReadonlySet<string>): boolean {
  const { opType, domain, input: [a = "", b = ""] } = node;
  if (domain !== "" && domain !== "ai.onnx") return false;
  if (opType === "Add" || opType === "Sub") return rows.has(a) && rows.has(b);
  if (opType === "Gather") return rows.has(a) && intAttribute(node, "axis", 0) === 0;
  if (opType === "GatherND") return rows.has(a) && intAttribute(node, "batch_dims", 0) === 0;
  return opType === "Identity" && rows.has(a);
}
