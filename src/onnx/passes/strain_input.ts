import type { Graph } from "../graph/graph.ts";
import { insideNode } from "../graph/graph_errors.ts";
import { Facts } from "../infer/facts.ts";
import { valueInfo } from "../codec/value_info.ts";

/** What is strained, and whose strain it is. */
export interface StrainInputOptions {
  /** The positions of the atoms, [N, 3]. */
  readonly positions: string;
  /** What is added to the vectors of the pairs, [E, 3], in the unit of the positions. */
  readonly shifts?: string;
  /** The cells, their vectors as rows, [B, 3, 3] or [3, 3]. */
  readonly cell?: string;
  /** The system of each atom, [N]; left out, there is one system. */
  readonly batch?: string;
  /** The system of each pair, [E]; left out, it is that of the pair's first atom. */
  readonly edgeBatch?: string;
  /** The pairs, [2, E], or their first atoms, [E]: for shifts where there is no `edgeBatch`. Both are of one system. */
  readonly edges?: string;
  /**
   * The name of the new input.
   *
   * @default "strain"
   */
  readonly name?: string;
  /**
   * How many systems there are, or the name of their number.
   *
   * @default what the cell has, or "B"
   */
  readonly systems?: number | string;
}

const ACTION = "put a strain into a graph";

/**
 * Gives a graph a further input ε, [B, 3, 3] (or [3, 3] where there is one system): every position, shift and cell
 * vector r becomes r + r·ε before anything else is made of it. With zeros the graph is what it was.
 *
 * The derivative D of the energy by ε at 0, made symmetric (½(D + Dᵀ)) and divided by the volume, is the stress, in
 * the energy's unit per volume: positive where the system pulls together.
 *
 * @returns how many values are strained
 * @throws {RangeError} for a value that the graph does not have, and for shifts whose systems nobody names
 * @throws {SyntaxError} when there is a value of the new input's name
 * @throws {UnsupportedNodeError} where a graph inside of a node uses what is strained
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
      throw refused("what is named must be a value of the graph", JSON.stringify(value));
    }
  }
  if (batch === undefined && edgeBatch !== undefined) {
    throw refused("systems of pairs must come with batch, those of atoms", "none");
  }
  if (shifts !== undefined && batch !== undefined && (edgeBatch ?? edges) === undefined) {
    throw refused("shifts must have their systems from edgeBatch or edges", "neither");
  }
  const facts = new Facts(graph);
  const strained = [positions, shifts, cell].filter((value) => value !== undefined);
  for (const { node, index } of strained.flatMap((value) => graph.uses(value))) {
    if (index < 0) throw insideNode(ACTION, node);
  }
  const type = facts.of(positions).type ?? "f32";
  const systems = options.systems ?? (cell && systemsOf(facts, cell)) ?? "B";
  const isOne = batch === undefined;
  if (!isOne && cell !== undefined && facts.of(cell).shape?.length === 2) {
    throw refused("the cells of several systems must be [B, 3, 3]", "[3, 3]");
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

/** How many cells there are; `undefined` where there is one without an axis for it. */
function systemsOf(facts: Facts, cell: string): number | string | undefined {
  const shape = facts.of(cell).shape;
  return shape?.length === 3 ? shape[0] : undefined;
}

/** Lets everything that uses a value use its sum with what it moves by. */
function strain(graph: Graph, value: string, movement: () => string): void {
  const uses = [...graph.uses(value)];
  const name = graph.freshName(`${value}_strained`);
  const sum = graph.make("Add", [value, movement()], {}, name);
  for (const { node, index } of uses) graph.setInput(node, index, sum);
}

/** r·ε for each row r, with the strain of its system. */
function moved(graph: Graph, rows: string, strain: string, systems: string | undefined): string {
  if (systems === undefined) return graph.make("MatMul", [rows, strain]);
  const each = graph.make("Gather", [strain, systems], { axis: 0 });
  const axis = graph.constantOf("i64", [1]);
  return graph.make("Squeeze", [
    graph.make("MatMul", [graph.make("Unsqueeze", [rows, axis]), each]),
    axis,
  ]);
}

/** The system of each pair: of its first atom. */
function firstAtoms(graph: Graph, facts: Facts, batch: string, edges: string): string {
  const { shape, type } = facts.of(edges);
  if (shape?.length === 1) return graph.make("Gather", [batch, edges], { axis: 0 });
  const first = graph.constantOf(type === "i32" ? "i32" : "i64", 0);
  const atoms = graph.make("Gather", [edges, first], { axis: 0 });
  return graph.make("Gather", [batch, atoms], { axis: 0 });
}

function refused(requirement: string, value: string): RangeError {
  return new RangeError(`Cannot ${ACTION} as ${requirement}: current value is ${value}`);
}
