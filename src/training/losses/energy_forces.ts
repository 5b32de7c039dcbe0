import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";
import { withForces } from "../../onnx/forces/with_forces.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import { checkKeys } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import { type Loss, type LossBuilder, type LossTerm, meanOf, numbersOf } from "./loss.ts";

/** Weight of a term of a loss: a number, or a function of the step. */
export type LossWeight = number | ((step: number) => number);

/** Options of {@linkcode energyForces}. */
export interface EnergyForcesOptions {
  /**
   * Weight of the mean squared error of energies, in 1/eV²; 0 leaves it out.
   *
   * @default 1
   */
  readonly energy?: LossWeight;
  /**
   * Weight of the mean squared error of force components, in Å²/eV²; 0 leaves it out.
   *
   * @default 10
   */
  readonly forces?: LossWeight;
  /**
   * Weight of the mean squared error of stress components, in Å⁶/eV²; 0 leaves it out.
   *
   * @default 0
   */
  readonly stress?: LossWeight;
  /**
   * True to compare energies per atom; a batch then has `atoms`, the number of atoms of each system, float32.
   *
   * @default false
   */
  readonly perAtom?: boolean;
  /**
   * Names of tensors: outputs of the model and targets of a batch.
   *
   * @default { energy: "energy", forces: "forces", stress: "stress", positions: "positions", …Target: "…_target" }
   */
  readonly names?: EnergyForcesNames;
}

/** Names of tensors; those left out have the default names. */
export interface EnergyForcesNames {
  /** The output with energies, eV. */
  readonly energy?: string;
  /** The output with forces, eV/Å; made by differentiation if there is none. */
  readonly forces?: string;
  /** The output with stresses, eV/Å³; made of virials and cells if there is none. */
  readonly stress?: string;
  /** The input with positions, Å. */
  readonly positions?: string;
  /** The energies of a batch. */
  readonly energyTarget?: string;
  /** Its forces. */
  readonly forcesTarget?: string;
  /** Its stresses. */
  readonly stressTarget?: string;
  /** The number of atoms of each system. */
  readonly atoms?: string;
  /** The cells, [B, 3, 3], Å: for stresses of a model that has no output of them. */
  readonly cell?: string;
}

const NAMES = {
  energy: "energy",
  forces: "forces",
  stress: "stress",
  positions: "positions",
  energyTarget: "energy_target",
  forcesTarget: "forces_target",
  stressTarget: "stress_target",
  atoms: "atoms",
  cell: "cell",
} as const;

/** Name of the output of virials that the loss adds. */
const VIRIAL = "virial";

/**
 * Returns the loss to fit a potential: w_E · mean (E − E*)² + w_F · mean (F − F*)² + w_S · mean (σ − σ*)², over systems,
 * force components and stress components. A model of energies alone is differentiated; training it differentiates it
 * once more.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} for a weight that is below 0 or no number, and where all are 0
 *
 * @example Forces count for more as training goes on
 * ```ts
 * import { energyForces } from "@hooke/hooke/training";
 *
 * const loss = energyForces({ energy: 1, forces: (step) => Math.min(100, 1 + step / 10) });
 * console.log(loss.name);
 * ```
 */
export function energyForces(options: EnergyForcesOptions = {}): Loss {
  const { energy = 1, forces = 10, stress = 0, perAtom = false } = options;
  check(options, { energy, forces, stress });
  const names = { ...NAMES, ...options.names };
  return {
    name: "energyForces",
    prepare(model) {
      const given = new Set(model.graph?.output.map(({ name }) => name));
      const wantsStress = stress !== 0 && !given.has(names.stress);
      if (!wantsStress && (forces === 0 || given.has(names.forces))) return model;
      const { positions, energy, forces: output } = names;
      const stresses = wantsStress && { output: VIRIAL };
      return decodeModel(
        withForces(model, { positions, energy, forces: output, stress: stresses }).bytes,
      );
    },
    terms: (builder) => [
      ...(energy === 0 ? [] : [energyTerm(builder, names, { weight: energy, perAtom })]),
      ...(forces === 0 ? [] : [squared(builder, "forces", {
        output: names.forces,
        target: names.forcesTarget,
        weight: forces,
      })]),
      ...(stress === 0 ? [] : [stressTerm(builder, names, stress)]),
    ],
  };
}

function check(options: EnergyForcesOptions, weights: Readonly<Record<string, LossWeight>>): void {
  const action = "make an energyForces loss";
  checkKeys(action, "its options", options, ["energy", "forces", "stress", "perAtom", "names"]);
  checkKeys(action, "its names", options.names ?? {}, Object.keys(NAMES));
  for (const [name, weight] of Object.entries(weights)) {
    if (typeof weight === "function" || (weight >= 0 && weight < Infinity)) continue;
    throw new RangeError(complaint(action, `${name} must be a number from 0 on`, weight));
  }
  if (Object.values(weights).some((weight) => weight !== 0)) return;
  throw new RangeError(complaint(action, "one of its weights must be above 0", weights));
}

function energyTerm(
  builder: LossBuilder,
  names: Required<EnergyForcesNames>,
  { weight, perAtom }: { readonly weight: LossWeight; readonly perAtom: boolean },
): LossTerm {
  const { graph } = builder;
  const given = builder.output(names.energy);
  const wanted = builder.target(names.energyTarget, "f32", given);
  let difference = graph.sub(given, wanted);
  if (perAtom) difference = graph.div(difference, builder.target(names.atoms, "f32", given));
  return {
    name: "energy",
    mean: meanSquare(graph, difference),
    weight,
    count: numbersOf(names.energyTarget),
  };
}

/** σ = dE/dε / V: the model's own, or its virials over the volumes of the cells. */
function stressTerm(
  builder: LossBuilder,
  names: Required<EnergyForcesNames>,
  weight: LossWeight,
): LossTerm {
  const { graph } = builder, { stress, stressTarget: target } = names;
  if (graph.graph.has(stress)) {
    return squared(builder, "stress", { output: stress, target, weight });
  }
  const virial = builder.output(VIRIAL);
  const volume = graph.reshape(
    volumesOf(graph, builder.target(names.cell, "f32", ["B", 3, 3])),
    graph.constant("i64", [-1, 1, 1]),
  );
  const given = graph.op("Neg", [graph.div(virial, volume)], "f32");
  const difference = graph.sub(given, builder.target(target, "f32", ["B", 3, 3]));
  return { name: "stress", mean: meanSquare(graph, difference), weight, count: numbersOf(target) };
}

/** |det| of each cell. */
function volumesOf(graph: GraphBuilder, cells: Value<"f32">): Value<"f32"> {
  const at = (row: number, column: number) =>
    graph.gather(
      graph.gather(cells, graph.constant("i64", row), 1),
      graph.constant("i64", column),
      1,
    );
  const minor = (j: number, k: number) =>
    graph.sub(graph.mul(at(1, j), at(2, k)), graph.mul(at(1, k), at(2, j)));
  const [x, y, z] = [minor(1, 2), minor(2, 0), minor(0, 1)];
  const sum = graph.add(
    graph.add(graph.mul(at(0, 0), x), graph.mul(at(0, 1), y)),
    graph.mul(at(0, 2), z),
  );
  return graph.op("Abs", [sum], "f32");
}

function squared(
  builder: LossBuilder,
  name: string,
  { output, target, weight }: {
    readonly output: string;
    readonly target: string;
    readonly weight: LossWeight;
  },
): LossTerm {
  const given = builder.output(output);
  const difference = builder.graph.sub(given, builder.target(target, "f32", given));
  return { name, mean: meanSquare(builder.graph, difference), weight, count: numbersOf(target) };
}

function meanSquare(graph: GraphBuilder, difference: Value<"f32">): Value<"f32"> {
  return meanOf(graph, graph.mul(difference, difference));
}
