/**
 * Virials of a graph, from the slopes of its energy: no node of the graph itself is changed for them.
 *
 * @module
 */

import type { Graph } from "../graph/graph.ts";
import { Facts } from "../infer/facts.ts";
import type { Strained } from "./strained_values.ts";
import { type Length, valueInfo } from "../codec/value_info.ts";

/** A graph whose slopes are known. */
export interface Sloping extends Strained {
  readonly positions: string;
  readonly energy: string;
  /** The vectors of the pairs, where all but the cell comes by them. */
  readonly vectors: string | undefined;
  /** Name → dE/d of it; none where the energy does not depend on it. */
  readonly slopes: ReadonlyMap<string, string>;
}

/**
 * Lets virials come out: −Σ r ⊗ dE/dr over all that is strained, system by system. A strain ε moves r to r + r·ε, so
 * that this is −dE/dε at ε = 0, with no strain in the graph.
 */
export function virialOf(graph: Graph, of: Sloping): void {
  const { output, batch, positions, cell, slopes } = of;
  const facts = new Facts(graph);
  const { type = "f32" } = facts.of(positions);
  const cellSlope = slopes.get(cell ?? "");
  let total = batch === undefined ? undefined : zeros(graph, facts, of);
  for (const [r, g, systems] of rowsOf(graph, facts, of)) {
    total = systems === undefined
      ? plus(graph, total, graph.make("MatMul", [turned(graph, r, [1, 0]), g]))
      : scattered(graph, total!, systems, outer(graph, r, g));
  }
  if (cellSlope !== undefined) {
    const [r, g] = [cell!, cellSlope].map((name) => cells(graph, facts, name, of));
    const rank = batch === undefined ? [1, 0] : [0, 2, 1];
    total = plus(graph, total, graph.make("MatMul", [turned(graph, r!, rank), g!]));
  }
  graph.make("Neg", [total!], {}, output);
  const shape = batch === undefined ? [3, 3] : [systemsOf(facts, of), 3, 3];
  graph.addOutput(valueInfo(output, type, shape));
}

/** What is strained, row by row, with its slopes and the system of each row. */
function rowsOf(
  graph: Graph,
  facts: Facts,
  of: Sloping,
): readonly (readonly [string, string, string | undefined])[] {
  const { positions, shifts = "", vectors = "", batch, slopes } = of;
  const pairs = [vectors, shifts].find((name) => slopes.has(name));
  const systems = pairs === undefined ? undefined : pairSystems(graph, facts, of);
  const ofPairs = pairs === undefined ? [] : [[pairs, slopes.get(pairs)!, systems] as const];
  if (pairs === vectors) return ofPairs;
  const slope = flat(graph, facts, slopes.get(positions)!, positions);
  return [[flat(graph, facts, positions), slope, batch], ...ofPairs];
}

/** [1, N, 3] as [N, 3]. */
function flat(graph: Graph, facts: Facts, name: string, like: string = name): string {
  if (facts.of(like).shape?.length !== 3) return name;
  return graph.make("Reshape", [name, graph.constantOf("i64", [-1, 3])]);
}

function turned(graph: Graph, name: string, perm: readonly number[]): string {
  return graph.make("Transpose", [name], { perm: [...perm] });
}

function plus(graph: Graph, total: string | undefined, more: string): string {
  return total === undefined ? more : graph.make("Add", [total, more]);
}

/** r ⊗ g, row by row. */
function outer(graph: Graph, r: string, g: string): string {
  const [first, second] = [[2], [1]].map((axis) => graph.constantOf("i64", axis));
  return graph.make("Mul", [
    graph.make("Unsqueeze", [r, first!]),
    graph.make("Unsqueeze", [g, second!]),
  ]);
}

function scattered(graph: Graph, base: string, systems: string, rows: string): string {
  const places = graph.make("Cast", [
    graph.make("Unsqueeze", [systems, graph.constantOf("i64", [1])]),
  ], { to: I64 });
  return graph.make("ScatterND", [base, places, rows], { reduction: "add" });
}

/** As ONNX numbers it; `dropIdentities` takes out what is int64 already. */
const I64 = 7;

/** The cells as matrices, one per system. */
function cells(graph: Graph, facts: Facts, name: string, { batch, cell }: Sloping): string {
  const rank = facts.of(cell!).shape?.length;
  const lengths = batch === undefined ? [3, 3] : [-1, 3, 3];
  if (rank === undefined || rank === lengths.length) return name;
  return graph.make("Reshape", [name, graph.constantOf("i64", lengths)]);
}

/** The system of each pair: of its first atom. */
function pairSystems(
  graph: Graph,
  facts: Facts,
  { batch, edgeBatch, edges }: Sloping,
): string | undefined {
  if (batch === undefined || edgeBatch !== undefined) return edgeBatch;
  const { shape } = facts.of(edges!);
  if (shape?.length === 1) return graph.make("Gather", [batch, edges!], { axis: 0 });
  const axis = shape?.[0] !== 2 && shape?.[1] === 2 ? 1 : 0;
  const atoms = graph.make("Gather", [edges!, graph.constantOf("i64", 0)], { axis });
  return graph.make("Gather", [batch, atoms], { axis: 0 });
}

/** [B, 3, 3]. As many as there are cells or energies; where energies are those of atoms, as many as atoms are of. */
function zeros(graph: Graph, facts: Facts, of: Sloping): string {
  const { positions, energy, cell, batch } = of;
  const { type = "f32" } = facts.of(positions);
  const [from, to] = [[0], [1]].map((at) => graph.constantOf("i64", at));
  const rows = (name: string) => graph.make("Slice", [graph.make("Shape", [name]), from!, to!]);
  const most = () =>
    graph.make("Cast", [
      graph.make("Add", [
        graph.make("Reshape", [graph.make("ReduceMax", [batch!]), to!]),
        graph.constantOf(facts.of(batch!).type ?? "i64", [1]),
      ]),
    ], { to: I64 });
  const count = cell !== undefined && facts.of(cell).shape?.length === 3
    ? rows(cell)
    : energySystems(facts, of) !== undefined
    ? rows(energy)
    : most();
  const shape = graph.make("Concat", [count, graph.constantOf("i64", [3, 3])], { axis: 0 });
  return graph.make("Expand", [graph.constantOf(type, 0), shape]);
}

/** The length of an energy per system, by its name; `undefined` where it may be one per atom. */
function energySystems(facts: Facts, { positions, energy }: Sloping): string | undefined {
  const length = facts.of(energy).shape?.[0];
  const isNamed = typeof length === "string" && !length.includes("?");
  return isNamed && length !== facts.of(positions).shape?.at(-2) ? length : undefined;
}

/** How many systems there are, as far as the file has a name for it. */
function systemsOf(facts: Facts, of: Sloping): Length {
  const own = energySystems(facts, of);
  if (own !== undefined || of.cell === undefined) return own;
  const cells = facts.of(of.cell).shape;
  const length = cells?.length === 3 ? cells[0] : undefined;
  return typeof length === "string" && length.includes("?") ? undefined : length;
}
