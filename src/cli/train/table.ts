/**
 * Tables of the commands `hooke train` and `hooke fine-tune`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, count, files, flag, text } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { CONFIG_OPTIONS, INPUT_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import { MACHINE_OPTIONS } from "./machine_options.ts";
import { WATCH_OPTIONS } from "../watch/watch.ts";
import { DATA_OPTIONS, trainingOptions } from "./options.ts";
import type { TrainSettings } from "./settings.ts";

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
  "With --nnodes, run the same command on each machine, with --node-rank 0, 1 and so on. If a machine is lost, start its command again: all go on from the last checkpoint. Results depend on --shards alone.",
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
      ...MACHINE_OPTIONS,
      device: POTENTIAL_OPTIONS.device,
      runtime: choice(["auto", "native", "web"], {
        help: "Runtime of ONNX models on the processor: auto, native or web",
        initial: "auto",
      }),
      threads: POTENTIAL_OPTIONS.threads,
      modelOptions: POTENTIAL_OPTIONS.modelOptions,
      hooks: INPUT_OPTIONS.hooks,
      overwrite: INPUT_OPTIONS.overwrite,
      ...WATCH_OPTIONS,
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
    [
      "train net.onnx train.xyz -o run --restart-latest --batch-size 16 --nnodes 4 --node-rank 0 --rendezvous /shared/meet",
      "is machine 0 of 4",
    ],
  ],
}, { lr: 0.01, elementEnergies: "fit" });
