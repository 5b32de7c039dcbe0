/**
 * Virials from the derivatives of the energy of a graph. Existing nodes of the graph do not change.
 *
 * @module
 */

import type { Graph } from "../graph/graph.ts";
import type { GraphFacts } from "../infer/facts.ts";
import { factsOf } from "../infer/shared_facts.ts";
import { type PairList, pairListsOf, type Strained } from "./strained_values.ts";
import { type Length, valueInfo } from "../codec/value_info.ts";

/** Names of values in a graph, and of the derivatives of its energy. */
export interface Differentiated extends Strained {
  readonly positions: string;
  readonly energy: string;
  /**
   * Names of the vectors of the pairs, one per list; `undefined` if the energy also depends on positions or shifts in
   * another way.
   */
  readonly vectors: readonly string[] | undefined;
  /** Name of dE/dx for each x, by name of x. Values on which the energy does not depend are missing. */
  readonly slopes: ReadonlyMap<string, string>;
}

/**
 * Adds an output with the virials: −Σ r ⊗ dE/dr over all values of a system that change with a strain. A strain ε
 * changes r to r + r·ε, so this sum is −dE/dε at ε = 0. The graph needs no input for the strain.
 */
export function virialOf(graph: Graph, of: Differentiated): void {
  const { output, batch, positions, cell, slopes } = of;
  const facts = factsOf(graph);
  const { type = "f32" } = facts.of(positions);
  const cellSlope = slopes.get(cell ?? "");
  let total = batch === undefined ? undefined : zeros(graph, facts, of);
  for (const [r, g, systems] of rowsOf(graph, facts, of)) {
    // For one system rᵀ·g sums the outer products by a matrix product, without a tensor of [N, 3, 3].
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

/**
 * Returns a triple for each value that changes with a strain: the name of its rows, of their derivatives, and of the
 * system of each row (`undefined` for a single system).
 */
function rowsOf(
  graph: Graph,
  facts: GraphFacts,
  of: Differentiated,
): readonly (readonly [string, string, string | undefined])[] {
  const { positions, vectors, batch, slopes } = of;
  const ofPairs = pairListsOf(of).flatMap((list, i) => {
    const pairs = vectors?.[i] ?? list.shifts, slope = slopes.get(pairs);
    return slope === undefined
      ? []
      : [[pairs, slope, pairSystems(graph, facts, batch, list)] as const];
  });
  if (vectors !== undefined && ofPairs.length > 0) return ofPairs;
  const slope = flat(graph, facts, slopes.get(positions)!, positions);
  return [[flat(graph, facts, positions), slope, batch], ...ofPairs];
}

/**
 * Adds a Reshape of a value from [1, N, 3] to [N, 3], and returns the name of the result. If `like` has another rank,
 * returns the value itself.
 */
function flat(graph: Graph, facts: GraphFacts, name: string, like: string = name): string {
  if (facts.of(like).shape?.length !== 3) return name;
  return graph.make("Reshape", [name, graph.constantOf("i64", [-1, 3])]);
}

function turned(graph: Graph, name: string, perm: readonly number[]): string {
  return graph.make("Transpose", [name], { perm: [...perm] });
}

function plus(graph: Graph, total: string | undefined, more: string): string {
  return total === undefined ? more : graph.make("Add", [total, more]);
}

/** Adds nodes for the outer products r ⊗ g of each row, and returns the name of the result. */
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

/** Number of the element type int64 in files. `dropIdentities` removes casts of values that are int64 already. */
const I64 = 7;

/** Adds a Reshape of the cells to one matrix per system if necessary, and returns the name of the result. */
function cells(
  graph: Graph,
  facts: GraphFacts,
  name: string,
  { batch, cell }: Differentiated,
): string {
  const rank = facts.of(cell!).shape?.length;
  const lengths = batch === undefined ? [3, 3] : [-1, 3, 3];
  if (rank === undefined || rank === lengths.length) return name;
  return graph.make("Reshape", [name, graph.constantOf("i64", lengths)]);
}

/**
 * Returns the name of a list with the system of each pair, which is that of its first atom. Adds the nodes that
 * compute it, unless the model has such an input. Returns `undefined` for a single system.
 */
function pairSystems(
  graph: Graph,
  facts: GraphFacts,
  batch: string | undefined,
  { edgeBatch, edges }: PairList,
): string | undefined {
  if (batch === undefined || edgeBatch !== undefined) return edgeBatch;
  const { shape } = facts.of(edges!);
  if (shape?.length === 1) return graph.make("Gather", [batch, edges!], { axis: 0 });
  const axis = shape?.[0] !== 2 && shape?.[1] === 2 ? 1 : 0;
  const atoms = graph.make("Gather", [edges!, graph.constantOf("i64", 0)], { axis });
  return graph.make("Gather", [batch, atoms], { axis: 0 });
}

/**
 * Adds nodes that compute zeros, [B, 3, 3], and returns the name of the result. B is the number of cells or energies.
 * If energies are per atom, B is the number of systems in the batch index.
 */
function zeros(graph: Graph, facts: GraphFacts, of: Differentiated): string {
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

/**
 * Returns the name of the dimension that counts systems, if there is one energy per system; `undefined` if the energy
 * may be per atom.
 */
function energySystems(
  facts: GraphFacts,
  { positions, energy }: Differentiated,
): string | undefined {
  const length = facts.of(energy).shape?.[0];
  const isNamed = typeof length === "string" && !length.includes("?");
  return isNamed && length !== facts.of(positions).shape?.at(-2) ? length : undefined;
}

/** Returns the number of systems, or the name of the dimension that counts them; `undefined` if it has no name. */
function systemsOf(facts: GraphFacts, of: Differentiated): Length {
  const own = energySystems(facts, of);
  if (own !== undefined || of.cell === undefined) return own;
  const cells = facts.of(of.cell).shape;
  const length = cells?.length === 3 ? cells[0] : undefined;
  return typeof length === "string" && length.includes("?") ? undefined : length;
}
