/**
 * Differences between outputs and targets of a potential, for losses and metrics.
 *
 * @module
 */

import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";
import type { TrainingBatch } from "../data/data_source.ts";
import { checkKeys } from "../../base/check_options.ts";
import { potentialIn, type TrainablePotential } from "../potential/potential.ts";
import { perVolume } from "../potential/volumes.ts";
import { type LossBuilder, meanOf, numbersOf } from "./loss.ts";

/** Names of tensors; those left out have the default names. */
export interface EnergyForcesNames {
  /** The output with energies, eV. */
  readonly energy?: string;
  /** The output with forces, eV/Å; added by differentiation if it is missing. */
  readonly forces?: string;
  /** The output with stresses, eV/Å³; computed from virials and cells if it is missing. */
  readonly stress?: string;
  /** The input with positions, Å. */
  readonly positions?: string;
  /** The input that is added to the vectors of edges, Å, for stresses made by differentiation. */
  readonly shifts?: string;
  /** The input with edges, for stresses made by differentiation. */
  readonly edges?: string;
  /** The input with the system of each atom: the same. */
  readonly batchIndex?: string;
  /** The energies of a batch. */
  readonly energyTarget?: string;
  /** Forces. */
  readonly forcesTarget?: string;
  /** Stresses. */
  readonly stressTarget?: string;
  /** The weight of each energy, if weights count. */
  readonly energyWeight?: string;
  /** The weight of the forces of each atom, if weights count. */
  readonly forcesWeight?: string;
  /** The weight of each stress, if weights count. */
  readonly stressWeight?: string;
  /** The number of atoms of each system. */
  readonly atoms?: string;
  /** The cells, [B, 3, 3], Å: for stresses of a model that has no output of them. */
  readonly cell?: string;
}

/** The names of tensors unless options say otherwise. */
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

/** Returns the names of tensors. Throws a TypeError for unknown ones, and for names besides those of a potential. */
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
    `Cannot ${action} with both potential and names: pass names to openPotential() instead`,
  );
}

/** Name of the output of virials that the loss adds. */
export const VIRIAL = "virial";

/** The quantities of a potential. */
export type Quantity = "energy" | "forces" | "stress";

/** Numbers of each quantity per system or atom. */
const WIDTHS: Readonly<Record<Quantity, number>> = { energy: 1, forces: 3, stress: 9 };

/** Differences of one quantity in a batch. */
export interface Difference {
  /** Model minus target: of any shape, or with weights [rows, numbers], 0 where there is no target. */
  readonly value: Value<"f32">;
  /** The weight of each row, [rows, 1], 0 where there is no target; `undefined` if all are 1. */
  readonly weight: Value<"f32"> | undefined;
  /** Numbers per row. */
  readonly width: number;
}

/** Options of the differences between outputs and targets. */
export interface DifferenceOptions {
  /** The names of tensors. */
  readonly names: Required<EnergyForcesNames>;
  /** True to compare energies per atom. */
  readonly perAtom: boolean;
  /** True if a batch has weights, which are 0 for targets that do not exist. */
  readonly weighted: boolean;
}

/** Writes the differences of a quantity. */
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

/** Returns the function that counts the numbers of a batch that have a target. */
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

/** Returns σ = dE/dε / V from the virials that the loss has added and the volumes of the cells. */
function stressOf(builder: LossBuilder, names: Required<EnergyForcesNames>): Value<"f32"> {
  const { graph } = builder;
  return perVolume(graph, builder.output(VIRIAL), builder.target(names.cell, "f32", ["B", 3, 3]));
}

/**
 * Writes Σ w f(difference) / n, over the n numbers that have a target; 0 if no number has one.
 *
 * @param isWeighted false to count every target that exists as 1
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
