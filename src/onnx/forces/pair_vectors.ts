import { intAttribute } from "../codec/attributes.ts";
import { between } from "../passes/path.ts";
import type { Graph } from "../graph/graph.ts";
import { Facts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";

/** What the vectors of pairs are made of, and what is made of them. */
export interface PairInputs {
  /** The positions, [N, 3]. */
  readonly positions: string;
  /** The shifts, [E, 3]. */
  readonly shifts: string;
  /** What is made of them. */
  readonly energy: string;
}

/**
 * The vectors of the pairs, [E, 3]: differences of positions with a shift to each, of which alone everything else is
 * made; `undefined` where it is not so. Whatever image of an atom there is, they are short.
 */
export function pairVectors(
  graph: Graph,
  { positions, shifts, energy }: PairInputs,
): string | undefined {
  const { nodes } = between(graph, new Facts(graph), [positions, shifts], [energy]);
  const onTheWay = new Set(nodes);
  const shifted = graph.uses(shifts).map(({ node }) => node).find((node) => onTheWay.has(node));
  if (shifted === undefined || !/^(Add|Sub)$/.test(shifted.opType)) return undefined;
  // What goes with a strain as positions do, v to v + v·ε, up to where the shifts come in.
  const rows = new Set([positions, shifts]), makers = new Set<NodeProto>([shifted]);
  for (const node of nodes) {
    if (node === shifted || !keepsRows(node, rows)) continue;
    rows.add(node.output[0]!);
    makers.add(node);
  }
  const isAll = shifted.input.every((name) => rows.has(name)) &&
    [...rows].every((name) =>
      graph.uses(name).every(({ node }) => !onTheWay.has(node) || makers.has(node))
    );
  return isAll ? shifted.output[0] : undefined;
}

/** Whether a node makes rows of a sum, of a difference, or of some of the rows. */
function keepsRows(node: NodeProto, rows: ReadonlySet<string>): boolean {
  const { opType, domain, input: [a = "", b = ""] } = node;
  if (domain !== "" && domain !== "ai.onnx") return false;
  if (opType === "Add" || opType === "Sub") return rows.has(a) && rows.has(b);
  if (opType === "Gather") return rows.has(a) && intAttribute(node, "axis", 0) === 0;
  if (opType === "GatherND") return rows.has(a) && intAttribute(node, "batch_dims", 0) === 0;
  return opType === "Identity" && rows.has(a);
}
