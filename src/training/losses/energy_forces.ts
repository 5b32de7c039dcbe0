import { withForces } from "../../onnx/forces/with_forces.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import type { StrainedValues } from "../../onnx/forces/strained_values.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import { checkKeys } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import { potentialIn, type TrainablePotential } from "../potential/potential.ts";
import type { Loss } from "./loss.ts";
import {
  differenceOf,
  type EnergyForcesNames,
  meanOfDifferences,
  namesOf,
  type Quantity,
  targetsIn,
  VIRIAL,
} from "./potential_terms.ts";

const ACTION = "make an energyForces loss";

/** Weight of a term of a loss: a number, or a function of the step, which is counted from 0. */
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
   * True to compare energies per atom. Batches must then have the tensor `atoms`, the number of atoms of each system
   * as float32.
   *
   * @default false
   */
  readonly perAtom?: boolean;
  /**
   * True if batches have the weights of their systems, as those of `atomsData` with `partial`, `weight` or `replay`
   * do. Each term is then Σ w (y − y*)² / n over the n targets that exist.
   *
   * @default false
   */
  readonly weighted?: boolean;
  /**
   * The potential to train. Its manifest states the outputs of the graph and their units.
   *
   * @default undefined: outputs are in eV and Å, and are called as `names` says
   */
  readonly potential?: TrainablePotential;
  /**
   * Names of outputs of the model, and of targets of a batch. Must be left out with `potential`.
   *
   * @default { energy: "energy", …, positions: "positions", …Target: "…_target", …Weight: "…_weight" }
   */
  readonly names?: EnergyForcesNames;
}

/**
 * Returns the loss for fitting a potential: w_E · mean (E − E*)² + w_F · mean (F − F*)² + w_S · mean (σ − σ*)², over
 * systems, force components and stress components. If the model has no output of forces or stresses, the loss adds
 * the output by differentiating the energy.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if a weight is below 0 or not a number, or if all weights are 0
 *
 * @example A weight of forces that grows during training
 * ```ts
 * import { energyForces } from "@hooke/hooke/training";
 *
 * const loss = energyForces({ energy: 1, forces: (step) => Math.min(100, 1 + step / 10) });
 * console.log(loss.name);
 * ```
 */
export function energyForces(options: EnergyForcesOptions = {}): Loss {
  const { energy = 1, forces = 10, stress = 0, perAtom = false, weighted = false } = options;
  check(options, { energy, forces, stress });
  const names = namesOf(ACTION, options);
  const potential = options.potential && potentialIn(ACTION, options.potential);
  const wanted = { energy: energy !== 0, forces: forces !== 0, stress: stress !== 0 };
  return {
    name: "energyForces",
    prepare(model) {
      if (potential !== undefined) return potential.prepare(model, wanted);
      const given = new Set(model.graph?.output.map(({ name }) => name));
      const wantsStress = stress !== 0 && !given.has(names.stress);
      if (!wantsStress && (forces === 0 || given.has(names.forces))) return model;
      const { positions, energy, forces: output } = names;
      const stresses = wantsStress && strained(model, names);
      return decodeModel(
        withForces(model, { positions, energy, forces: output, stress: stresses }).bytes,
      );
    },
    terms: (builder) =>
      Object.entries({ energy, forces, stress }).flatMap(([name, weight]) => {
        if (weight === 0) return [];
        const { graph } = builder;
        const difference = differenceOf(builder, name as Quantity, { names, perAtom, weighted });
        const mean = meanOfDifferences(graph, difference, (value) => graph.mul(value, value));
        return [{ name, mean, weight, count: targetsIn(name as Quantity, { names, weighted }) }];
      }),
  };
}

/**
 * Returns the names of the inputs that change under a strain, and of the virial output to add. An input that the
 * model does not have is false.
 */
function strained(
  { graph }: ModelProto,
  { shifts, edges, batchIndex: batch, cell }: Required<EnergyForcesNames>,
): StrainedValues {
  const inputs = new Set(graph?.input.map(({ name }) => name));
  const values = Object.entries({ shifts, edges, batch, cell });
  return {
    output: VIRIAL,
    ...Object.fromEntries(values.map(([key, name]) => [key, inputs.has(name) ? name : false])),
  };
}

function check(options: EnergyForcesOptions, weights: Readonly<Record<string, LossWeight>>): void {
  const action = ACTION;
  checkKeys(action, "its options", options, [
    "energy",
    "forces",
    "stress",
    "perAtom",
    "weighted",
    "names",
    "potential",
  ]);
  for (const [name, weight] of Object.entries(weights)) {
    if (typeof weight === "function" || (weight >= 0 && weight < Infinity)) continue;
    throw new RangeError(complaint(action, `${name} must be 0 or more and finite`, weight));
  }
  if (Object.values(weights).some((weight) => weight !== 0)) return;
  throw new RangeError(complaint(action, "at least one of its weights must be above 0", weights));
}
