/**
 * Differences between the results of a potential and its targets, for losses and metrics.
 *
 * @module
 */

import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";
import type { TrainingBatch } from "../data/data_source.ts";
import { checkKeys } from "../../base/check_options.ts";
import { potentialIn, type TrainablePotential } from "../potential/potential.ts";
import { perVolume } from "../potential/volumes.ts";
import { type LossBuilder, meanOf, numbersOf } from "./loss.ts";

/** Names of tensors. Names that are left out have their default. */
export interface EnergyForcesNames {
  /** Name of the output with energies, [B], eV. */
  readonly energy?: string;
  /** Name of the output with forces, [N, 3], eV/Å. A missing output is added by differentiating the energy. */
  readonly forces?: string;
  /**
   * Name of the output with stresses, [B, 3, 3], eV/Å³. If the output is missing, stresses are computed from virials
   * and cells.
   */
  readonly stress?: string;
  /** Name of the input with positions, [N, 3], Å. */
  readonly positions?: string;
  /**
   * Name of the input with the shifts of edges, Å, which are added to the vectors of the edges. Needed for stresses
   * by differentiation.
   */
  readonly shifts?: string;
  /** Name of the input with the atoms of each edge. Needed for stresses by differentiation. */
  readonly edges?: string;
  /** Name of the input with the system of each atom. Needed for stresses by differentiation. */
  readonly batchIndex?: string;
  /** Name of the tensor in a batch with the target energies. */
  readonly energyTarget?: string;
  /** Name of the tensor in a batch with the target forces. */
  readonly forcesTarget?: string;
  /** Name of the tensor in a batch with the target stresses. */
  readonly stressTarget?: string;
  /** Name of the tensor with the weight of each energy; used with `weighted`. */
  readonly energyWeight?: string;
  /** Name of the tensor with the weight of the forces of each atom; used with `weighted`. */
  readonly forcesWeight?: string;
  /** Name of the tensor with the weight of each stress; used with `weighted`. */
  readonly stressWeight?: string;
  /** Name of the tensor with the number of atoms of each system. */
  readonly atoms?: string;
  /** Name of the tensor with the cells, [B, 3, 3], Å. Needed for stresses of a model without a stress output. */
  readonly cell?: string;
}

/** Default names of tensors. */
const NAMES: Readonly<Required<EnergyForcesNames>> = {
  energy: "energy",
  forces: "forces",
  stress: "stress",
  positions: "positions",
  shifts: "shifts",
  edges: "edge_index",
  batchIndex: "batch_idx",
  energyTarget: "energy_target",
  forcesTarget: "forces_target",
  stressTarget: "stress_target",
  energyWeight: "energy_weight",
  forcesWeight: "forces_weight",
  stressWeight: "stress_weight",
  atoms: "atoms",
  cell: "cell",
};

/**
 * Returns the names of all tensors. Throws a TypeError for an unknown key, and for names that are given in addition
 * to a potential.
 */
export function namesOf(
  action: string,
  { names = {}, potential }: {
    readonly names?: EnergyForcesNames;
    readonly potential?: TrainablePotential;
  },
): Required<EnergyForcesNames> {
  checkKeys(action, "its names", names, Object.keys(NAMES));
  if (potential === undefined) return { ...NAMES, ...names };
  if (Object.keys(names).length === 0) {
    return { ...NAMES, ...potentialIn(action, potential).names };
  }
  throw new TypeError(
    `Cannot ${action} with both potential and names: leave out names, because the potential has its own`,
  );
}

/** Name of the output with virials that the loss adds. */
export const VIRIAL = "virial";

/** The quantities of a potential. */
export type Quantity = "energy" | "forces" | "stress";

/** Number of elements of each quantity per system or atom. */
const WIDTHS: Readonly<Record<Quantity, number>> = { energy: 1, forces: 3, stress: 9 };

/** Differences of one quantity between model and target, in a batch. */
export interface Difference {
  /**
   * Result of the model minus the target. Without weights it has the shape of the target. With weights its shape is
   * [rows, width], and it is 0 where the target is missing.
   */
  readonly value: Value<"f32">;
  /**
   * The weight of each row, [rows, 1], which is 0 where the target is missing; `undefined` if batches have no
   * weights.
   */
  readonly weight: Value<"f32"> | undefined;
  /** Number of elements per row. */
  readonly width: number;
}

/** Options of the differences between results and targets. */
export interface DifferenceOptions {
  /** The names of tensors. */
  readonly names: Required<EnergyForcesNames>;
  /** True to compare energies per atom. */
  readonly perAtom: boolean;
  /** True if batches have weights, which are 0 where a target is missing. */
  readonly weighted: boolean;
}

/** Adds nodes that subtract the targets of a quantity from the results of the model, and returns the difference. */
export function differenceOf(
  builder: LossBuilder,
  quantity: Quantity,
  { names, perAtom, weighted }: DifferenceOptions,
): Difference {
  const { graph } = builder, width = WIDTHS[quantity];
  let value = plainDifference(builder, quantity, names);
  if (quantity === "energy" && perAtom) {
    value = graph.div(value, builder.target(names.atoms, "f32", value));
  }
  if (!weighted) return { value, weight: undefined, width };
  const weights = names[`${quantity}Weight`];
  const rows = builder.target(weights, "f32", [quantity === "forces" ? "N" : "B"]);
  const weight = graph.reshape(rows, graph.constant("i64", [-1, 1]));
  const zero = graph.constant("f32", [0]);
  const isThere = graph.op("Greater", [weight, zero], "bool");
  const flat = graph.reshape(value, graph.constant("i64", [-1, width]));
  return {
    value: graph.op("Where", [isThere, flat, zero], "f32"),
    weight,
    width,
  };
}

/** Returns a function that counts the elements of a batch for which a target exists. */
export function targetsIn(
  quantity: Quantity,
  { names, weighted }: Omit<DifferenceOptions, "perAtom">,
): (batch: TrainingBatch) => number {
  if (!weighted) return numbersOf(names[`${quantity}Target`]);
  const weights = names[`${quantity}Weight`], width = WIDTHS[quantity];
  return ({ feeds }) => {
    let count = 0;
    for (const weight of feeds[weights]?.data ?? []) if (weight > 0) count += width;
    return count;
  };
}

function plainDifference(
  builder: LossBuilder,
  quantity: Quantity,
  names: Required<EnergyForcesNames>,
): Value<"f32"> {
  const { graph } = builder, target = names[`${quantity}Target`];
  if (quantity !== "stress" || graph.graph.has(names.stress)) {
    const given = builder.output(names[quantity]);
    return graph.sub(given, builder.target(target, "f32", given));
  }
  return graph.sub(stressOf(builder, names), builder.target(target, "f32", ["B", 3, 3]));
}

/**
 * Adds nodes that compute stresses, [B, 3, 3], from the virial output that the loss has added and the volumes of the
 * cells.
 */
function stressOf(builder: LossBuilder, names: Required<EnergyForcesNames>): Value<"f32"> {
  const { graph } = builder;
  return perVolume(graph, builder.output(VIRIAL), builder.target(names.cell, "f32", ["B", 3, 3]));
}

/**
 * Adds Σ w f(difference) / n to the graph, where n is the number of elements that have a target. It is 0 if no
 * element has a target.
 *
 * @param isWeighted false to use the weight 1 for every target that exists
 */
export function meanOfDifferences(
  graph: GraphBuilder,
  { value, weight, width }: Difference,
  of: (value: Value<"f32">) => Value<"f32">,
  isWeighted: boolean = true,
): Value<"f32"> {
  const each = of(value);
  if (weight === undefined) return meanOf(graph, each);
  const zero = graph.constant("f32", [0]);
  const isThere = graph.op("Greater", [weight, zero], "bool");
  const ones = graph.op("Cast", [isThere], "f32", { to: 1 });
  const sumOf = (x: Value<"f32">) => graph.op("ReduceSum", [x], "f32", { keepdims: 0 });
  const numbers = graph.mul(sumOf(ones), graph.constant("f32", width));
  const divisor = graph.op("Max", [numbers, graph.constant("f32", 1)], "f32");
  return graph.div(sumOf(graph.mul(each, isWeighted ? weight : ones)), divisor);
}
