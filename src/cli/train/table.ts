/**
 * Tables of the commands `hooke train` and `hooke fine-tune`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import {
  choice,
  count,
  files,
  flag,
  number,
  type OptionsOf,
  text,
  texts,
} from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { CONFIG_OPTIONS, INPUT_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import type { TrainSettings } from "./settings.ts";

/** Options of the frames and their targets. */
const DATA_OPTIONS = {
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
} as const;

/** Options of the training, with the defaults of a command. */
function trainingOptions(
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

const RUN_OPTIONS = {
  out: text({
    value: "FOLDER",
    letter: "o",
    also: ["run-folder", "work-dir"],
    help: "Run folder",
    otherwise: "NAME-COMMAND of the model, or NAME-COMMAND-2 and so on",
    initial: undefined,
  }),
  restartLatest: flag({ help: "Continue the run in --out from its newest checkpoint" }),
  checkpointEvery: count({ help: "Steps between two checkpoints", initial: 1000, least: 1 }),
} as const;

const NOTES = [
  "Frames without energies, forces or stresses are used for what they have.",
  "The run folder has model.onnx with its manifest and reference, config.json, checkpoints, report.html and files for TensorBoard (logs/tensorboard).",
  "Ctrl-C saves a checkpoint and stops. --restart-latest continues.",
];

function table(
  parts: Pick<Command<TrainSettings>, "name" | "summary" | "examples" | "notes">,
  defaults: Pick<TrainSettings, "lr" | "elementEnergies">,
): Command<TrainSettings> {
  return {
    ...parts,
    options: {
      files: files({
        value: "MODEL FRAMES…",
        help: "Model (.onnx), then files of frames (.xyz, .db, .traj and others)",
      }),
      model: POTENTIAL_OPTIONS.model,
      ...DATA_OPTIONS,
      ...trainingOptions(defaults),
      ...RUN_OPTIONS,
      device: POTENTIAL_OPTIONS.device,
      runtime: choice(["auto", "native", "web"], {
        help: "Runtime of ONNX models on the processor: auto, native or web",
        initial: "auto",
      }),
      threads: POTENTIAL_OPTIONS.threads,
      modelOptions: POTENTIAL_OPTIONS.modelOptions,
      hooks: INPUT_OPTIONS.hooks,
      overwrite: INPUT_OPTIONS.overwrite,
      json: INPUT_OPTIONS.json,
      quiet: INPUT_OPTIONS.quiet,
      ...FORMAT_OPTIONS,
      ...CONFIG_OPTIONS,
    },
    load: async () => {
      const { train } = await import("./train.ts");
      return (settings, run) => train(parts.name, settings, run);
    },
  };
}

/** The command `hooke fine-tune`. */
export const FINE_TUNE: Command<TrainSettings> = table({
  name: "fine-tune",
  summary: "trains a potential further on frames with energies and forces",
  notes: NOTES,
  examples: [
    ["fine-tune mace.onnx frames.xyz --epochs 20", "writes mace-fine-tune/model.onnx"],
    [
      "fine-tune mace.onnx frames.xyz --energy-key REF_energy --forces-key REF_forces --lora-rank 8",
      "reads other targets, and trains adapters",
    ],
  ],
}, { lr: 1e-4, elementEnergies: "shift" });

/** The command `hooke train`. */
export const TRAIN: Command<TrainSettings> = table({
  name: "train",
  summary: "trains a potential from its initial weights on frames with energies and forces",
  notes: NOTES,
  examples: [
    [
      "train --model net.onnx --train_file train.xyz --valid_fraction 0.1 --max_num_epochs 100 --lr 0.01 --ema",
      "takes the options of mace_run_train",
    ],
    ["train net.onnx train.xyz --patience 10", "stops when the validation loss stops improving"],
  ],
}, { lr: 0.01, elementEnergies: "fit" });
