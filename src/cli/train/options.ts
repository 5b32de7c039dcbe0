/**
 * Options of trainings that the commands and the page share.
 *
 * @module
 */

import { choice, count, flag, number, type OptionsOf, text, texts } from "../frame/option.ts";
import type { TrainSettings } from "./settings.ts";

/** Options of the frames and their targets. */
export const DATA_OPTIONS: Pick<
  OptionsOf<TrainSettings>,
  | "trainFile"
  | "validFile"
  | "validFraction"
  | "energyKey"
  | "forcesKey"
  | "stressKey"
  | "virialKey"
  | "energyWeight"
  | "forcesWeight"
  | "stressWeight"
> = {
  trainFile: texts({ value: "FILE", help: "Frames to train with; repeatable" }),
  validFile: texts({
    value: "FILE",
    also: ["val-file", "test-file"],
    help: "Frames to validate with; repeatable",
    otherwise: "a part of the others, --valid-fraction",
  }),
  validFraction: number({
    help: "Share of the frames that validate, from 0 to below 1",
    initial: 0.1,
    least: 0,
  }),
  energyKey: text({ value: "NAME", help: "Name of energies in the frames, eV", initial: "energy" }),
  forcesKey: text({ value: "NAME", help: "Name of forces, eV/Å", initial: "forces" }),
  stressKey: text({ value: "NAME", help: "Name of stresses, eV/Å³", initial: "stress" }),
  virialKey: text({
    value: "NAME",
    also: ["virials-key"],
    help: "Name of virials, eV, for frames without stresses",
    otherwise: "not read",
    initial: undefined,
  }),
  energyWeight: number({ help: "Weight of energies per atom in the loss", initial: 1, least: 0 }),
  forcesWeight: number({ help: "Weight of forces in the loss", initial: 10, least: 0 }),
  stressWeight: number({ help: "Weight of stresses in the loss", initial: 0, least: 0 }),
};

/** Options of the training, with the defaults of a command. */
export function trainingOptions(
  { lr, elementEnergies }: Pick<TrainSettings, "lr" | "elementEnergies">,
): Pick<
  OptionsOf<TrainSettings>,
  | "elementEnergies"
  | "batchSize"
  | "epochs"
  | "lr"
  | "ema"
  | "emaDecay"
  | "clipGrad"
  | "patience"
  | "loraRank"
  | "freeze"
  | "seed"
> {
  return {
    elementEnergies: choice(["shift", "fit", "keep"], {
      also: ["E0s"],
      help:
        "Energies of elements: shift (fits those of the model), fit (from the energies) or keep",
      initial: elementEnergies,
    }),
    batchSize: count({ help: "Frames per batch", initial: 4, least: 1 }),
    epochs: count({ also: ["max-num-epochs"], help: "Number of epochs", initial: 100, least: 0 }),
    lr: number({ also: ["learning-rate"], help: "Learning rate of Adam", initial: lr }),
    ema: flag({ help: "Average the parameters, and write the averages" }),
    emaDecay: number({ help: "Decay of the averages per step", initial: 0.99 }),
    clipGrad: number({
      help: "Largest norm of the gradient; 0 for no limit",
      initial: 0,
      least: 0,
    }),
    patience: count({
      help: "Stop after N epochs without a smaller validation loss",
      otherwise: "never",
      initial: undefined,
      least: 1,
    }),
    loraRank: count({
      help: "Train adapters of this rank instead of the weights (LoRA)",
      otherwise: "the weights",
      initial: undefined,
      least: 1,
    }),
    freeze: texts({ value: "PATTERN", help: "Parameters that are not trained; repeatable" }),
    seed: count({ help: "Seed of the order of frames", initial: 0, least: 0 }),
  };
}
