import type { Graph } from "../graph/graph.ts";
import { insideNode } from "../graph/graph_errors.ts";
import { GraphFacts } from "../infer/facts.ts";
import { valueInfo } from "../codec/value_info.ts";

/** Options of {@linkcode strainInput}. All members but `systems` are names of values in the graph. */
export interface StrainInputOptions {
  /** Name of the positions of the atoms, [N, 3]. */
  readonly positions: string;
  /** Name of the shifts that are added to the vectors of the pairs, [E, 3], in the unit of the positions. */
  readonly shifts?: string;
  /** Name of the cells, whose rows are lattice vectors, [B, 3, 3] or [3, 3]. */
  readonly cell?: string;
  /** Name of the system of each atom, [N]. Without it, there is one system. */
  readonly batch?: string;
  /** Name of the system of each pair, [E]. Without it, a pair belongs to the system of its first atom. */
  readonly edgeBatch?: string;
  /**
   * Name of the pairs, [2, E], or of their first atoms, [E]. It is needed for shifts without `edgeBatch`. Both atoms
   * of a pair belong to the same system.
   */
  readonly edges?: string;
  /**
   * Name of the new input.
   *
   * @default "strain"
   */
  readonly name?: string;
  /**
   * Number of systems, or the name of the dimension that counts them.
   *
   * @default the number of cells, or "B"
   */
  readonly systems?: number | string;
}

const ACTION = "put a strain into a graph";

/**
 * Adds a strain ε as an input, [B, 3, 3] (or [3, 3] for one system): every position, shift and cell vector r is
 * replaced by r + r·ε before anything is computed from it. A strain of zeros gives the original results.
 *
 * Let D be the derivative of the energy with respect to ε at 0. Its symmetric part ½(D + Dᵀ), divided by the volume,
 * is the stress in the energy's unit per volume. It is positive if the system tends to contract.
 *
 * @returns number of values that are strained
 * @throws {RangeError} if a value does not exist, the systems of the shifts are not given, or there is one cell for
 * several systems
 * @throws {SyntaxError} if a value with the new input's name exists
 * @throws {UnsupportedNodeError} if a subgraph uses a strained value
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, lennardJonesModel, strainInput } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const options = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
 * const graph = new Graph(decodeModel(lennardJonesModel(options)));
 * strainInput(graph, {
 *   positions: "positions",
 *   shifts: "shifts",
 *   batch: "batch_idx",
 *   edges: "edge_index",
 * });
 * assertEquals(graph.shape("strain"), ["B", 3, 3]);
 * ```
 */
export function strainInput(graph: Graph, options: StrainInputOptions): number {
  const { positions, shifts, cell, batch, edgeBatch, edges, name = "strain" } = options;
  for (const value of [positions, shifts, cell, batch, edgeBatch, edges]) {
    if (value !== undefined && !graph.has(value)) {
      throw refused("values must exist in the graph", JSON.stringify(value));
    }
  }
  if (batch === undefined && edgeBatch !== undefined) {
    throw refused("batch is required with edgeBatch", "no batch");
  }
  if (shifts !== undefined && batch !== undefined && (edgeBatch ?? edges) === undefined) {
    throw refused("edgeBatch or edges is required with shifts", "neither");
  }
  const facts = new GraphFacts(graph);
  const strained = [positions, shifts, cell].filter((value) => value !== undefined);
  for (const { node, index } of strained.flatMap((value) => graph.uses(value))) {
    if (index < 0) throw insideNode(ACTION, node);
  }
  const type = facts.of(positions).type ?? "f32";
  const systems = options.systems ?? (cell && systemsOf(facts, cell)) ?? "B";
  const isOne = batch === undefined;
  if (!isOne && cell !== undefined && facts.of(cell).shape?.length === 2) {
    throw refused("the cells of several systems must have the shape [B, 3, 3]", "[3, 3]");
  }
  graph.addInput(valueInfo(name, type, isOne ? [3, 3] : [systems, 3, 3]));
  strain(graph, positions, () => moved(graph, positions, name, batch));
  if (shifts !== undefined) {
    strain(graph, shifts, () => {
      const places = edgeBatch ?? (batch && edges && firstAtoms(graph, facts, batch, edges));
      return moved(graph, shifts, name, places);
    });
  }
  if (cell !== undefined) strain(graph, cell, () => graph.make("MatMul", [cell, name]));
  return strained.length;
}

/**
 * Returns the number of cells, or the name of the dimension that counts them; `undefined` if there is one cell
 * without a batch axis.
 */
function systemsOf(facts: GraphFacts, cell: string): number | string | undefined {
  const shape = facts.of(cell).shape;
  return shape?.length === 3 ? shape[0] : undefined;
}

/** Adds the sum of a value and a displacement, and makes all nodes that use the value use the sum instead. */
function strain(graph: Graph, value: string, movement: () => string): void {
  const uses = [...graph.uses(value)];
  const name = graph.freshName(`${value}_strained`);
  const sum = graph.make("Add", [value, movement()], {}, name);
  for (const { node, index } of uses) graph.setInput(node, index, sum);
}

/** Adds nodes that compute r·ε for each row r, with the strain of its system, and returns the name of the result. */
function moved(graph: Graph, rows: string, strain: string, systems: string | undefined): string {
  if (systems === undefined) return graph.make("MatMul", [rows, strain]);
  const each = graph.make("Gather", [strain, systems], { axis: 0 });
  const axis = graph.constantOf("i64", [1]);
  return graph.make("Squeeze", [
    graph.make("MatMul", [graph.make("Unsqueeze", [rows, axis]), each]),
    axis,
  ]);
}

/**
 * Adds nodes that compute the system of each pair, which is that of its first atom, and returns the name of the
 * result.
 */
function firstAtoms(graph: Graph, facts: GraphFacts, batch: string, edges: string): string {
  const { shape, type } = facts.of(edges);
  if (shape?.length === 1) return graph.make("Gather", [batch, edges], { axis: 0 });
  const first = graph.constantOf(type === "i32" ? "i32" : "i64", 0);
  const atoms = graph.make("Gather", [edges, first], { axis: 0 });
  return graph.make("Gather", [batch, atoms], { axis: 0 });
}

function refused(requirement: string, value: string): RangeError {
  return new RangeError(`Cannot ${ACTION}: ${requirement}; got ${value}`);
}
