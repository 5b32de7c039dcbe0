/**
 * Virials of a graph, from the slopes of its energy: no node of the graph itself is changed for them.
 *
 * @module
 */

import { didYouMean } from "../dispatch/nearest.ts";
import type { Graph } from "./graph.ts";
import { Facts } from "./infer/facts.ts";
import { valueInfo } from "./value_info.ts";

/** What goes with the atoms when a system is strained, and whose it is. */
export interface StrainedValues {
  /**
   * What the new output is called.
   *
   * @default "virial"
   */
  readonly output?: string;
  /** The system of each atom, [N]; left out, there is one system. */
  readonly batch?: string;
  /** What is added to the vectors of the pairs, [E, 3], in the unit of the positions. */
  readonly shifts?: string;
  /** The system of each pair, [E]; left out, it is that of the pair's first atom. */
  readonly edgeBatch?: string;
  /** The pairs, [2, E] or [E, 2], or their first atoms, [E]: for shifts where there is no `edgeBatch`. */
  readonly edges?: string;
  /** The cells, their vectors as rows: [B, 3, 3], [3 B, 3], or [3, 3] where there is one system. */
  readonly cell?: string;
}

/** The same with the name of its output. */
export type Strained = StrainedValues & { readonly output: string };

/** What exporters of potentials call them. */
const USUAL: StrainedValues = {
  batch: "batch_idx",
  edges: "edge_index",
  shifts: "shifts",
  cell: "cell",
};

/**
 * What is strained of a graph; `undefined` where no virials are wanted. Throws a RangeError for a value that is no
 * input, and for shifts of pairs whose systems nobody knows.
 */
export function strainedValues(
  graph: Graph,
  name: string,
  wanted: boolean | StrainedValues,
): Strained | undefined {
  if (wanted === false) return undefined;
  const inputs = graph.inputs.map((input) => input.name);
  const { output = "virial", ...values } = wanted === true
    ? Object.fromEntries(Object.entries(USUAL).filter(([, value]) => inputs.includes(value)))
    : wanted as StrainedValues;
  const refuse = (requirement: string, value: string) => {
    throw new RangeError(
      `Cannot give ${name} virials as ${requirement}: current value is ${value}`,
    );
  };
  for (const value of Object.values(values)) {
    if (value === undefined || inputs.includes(value)) continue;
    const hint = didYouMean(value, inputs);
    refuse(
      `what is strained must be among its inputs, ${inputs.join(", ")}`,
      `${JSON.stringify(value)}${hint}`,
    );
  }
  const { batch, shifts, edgeBatch, edges } = values;
  if (batch !== undefined && shifts !== undefined && (edgeBatch ?? edges) === undefined) {
    refuse("shifts must have their systems from edgeBatch or edges", "neither");
  }
  return { ...values, output };
}

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
  graph.addOutput(valueInfo(output, type, batch === undefined ? [3, 3] : [undefined, 3, 3]));
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
  if (batch === undefined || facts.of(cell!).shape?.length !== 2) return name;
  return graph.make("Reshape", [name, graph.constantOf("i64", [-1, 3, 3])]);
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
function zeros(graph: Graph, facts: Facts, { positions, energy, cell, batch }: Sloping): string {
  const { type = "f32", shape: atoms } = facts.of(positions);
  const [from, to] = [[0], [1]].map((at) => graph.constantOf("i64", at));
  const rows = (name: string) => graph.make("Slice", [graph.make("Shape", [name]), from!, to!]);
  const { shape: energies } = facts.of(energy);
  const isOfSystems = energies !== undefined && energies.length > 0 &&
    typeof energies[0] === "string" && !energies[0].includes("?") && energies[0] !== atoms?.at(-2);
  const most = () =>
    graph.make("Cast", [
      graph.make("Add", [
        graph.make("Reshape", [graph.make("ReduceMax", [batch!]), to!]),
        graph.constantOf(facts.of(batch!).type ?? "i64", [1]),
      ]),
    ], { to: I64 });
  const count = cell !== undefined && facts.of(cell).shape?.length === 3
    ? rows(cell)
    : isOfSystems
    ? rows(energy)
    : most();
  const shape = graph.make("Concat", [count, graph.constantOf("i64", [3, 3])], { axis: 0 });
  return graph.make("Expand", [graph.constantOf(type, 0), shape]);
}
