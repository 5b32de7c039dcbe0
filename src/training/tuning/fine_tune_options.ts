/**
 * Options and results of a fine-tuning.
 *
 * @module
 */

import type { ModelSource } from "../../onnx/session/session_source.ts";
import type { BatchInput } from "../../batch/batch.ts";
import type { OnnxManifest } from "../../models/onnx/manifest/manifest.ts";
import type { OnnxDerive } from "../../models/onnx/derived_inputs.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { AtomsDataOptions, AtomsReplay } from "../data/atoms_options.ts";
import type { LossWeight } from "../losses/energy_forces.ts";
import type { ParameterInfo } from "../context.ts";
import type { TrainerParts, TrainingHooks } from "../trainer_options.ts";
import type { TrainerCore } from "../trainer.ts";
import type { LoraOptions } from "./lora.ts";

/** Options of {@linkcode fineTune}. They include those of a trainer, some with other defaults. */
export interface FineTuneOptions
  extends
    Partial<Pick<TrainerParts, "optimizers">>,
    Pick<AtomsDataOptions, "energy" | "forces" | "stress" | "virial" | "weight" | "seed">,
    Omit<
      TrainerParts,
      "loss" | "metrics" | "data" | "validation" | "optimizers" | "loaderOrder" | "verify"
    > {
  /** The potential: the bytes, URL or path of an .onnx file that gives energies. */
  readonly model: ModelSource;
  /**
   * Members that override or complete the model's manifest.
   *
   * @default the manifest beside the model, and its metadata
   */
  readonly manifest?: OnnxManifest;
  /**
   * Functions that compute inputs of the model, by name of the input, as for `OnnxModel.open`.
   *
   * @default undefined
   */
  readonly derived?: Readonly<Record<string, OnnxDerive>>;
  /**
   * False to skip the comparison of the potential with its reference before training; see `OnnxModel.open`.
   *
   * @default true
   */
  readonly verify?: boolean;
  /**
   * True to check that observers change nothing, like `verify` of a trainer. This is slow and meant for tests.
   *
   * @default false
   */
  readonly verifyHooks?: boolean;
  /** The frames for training. They may lack energies, forces or stresses. */
  readonly train: BatchInput;
  /**
   * The frames for validation, or the fraction of `train` that is used for validation instead of training. With 0
   * there is no validation.
   *
   * @default 0.1
   */
  readonly valid?: BatchInput | number;
  /**
   * Weights of the mean squared errors of energies per atom, forces and stresses, in the units of `energyForces`; 0
   * leaves a term out.
   *
   * @default { energy: 1, forces: 10, stress: 0 }
   */
  readonly weights?: FineTuneWeights;
  /**
   * Energies of elements that the tuned model adds. `"shift"` fits them to the errors of the model in the energies of
   * `train`, `"fit"` fits them to the energies themselves, and `"keep"` keeps those of the manifest. A table has
   * energies in eV by symbol. Fits are made once, before training.
   *
   * @default "shift"
   */
  readonly elementEnergies?: "shift" | "fit" | "keep" | Readonly<Record<string, number>>;
  /**
   * Options of low-rank adapters, which are then trained instead of weight matrices. `parameters` names further
   * tensors to train.
   *
   * @default undefined: parameters are trained themselves
   */
  readonly lora?: LoraOptions;
  /**
   * Frames that are mixed into each epoch. Their energies are relative to the energies of elements in the model's
   * original manifest, unless `elementEnergies` of this option is given.
   *
   * @default undefined
   */
  readonly replay?: AtomsReplay;
  /**
   * Number of frames per batch. If the graph takes one system at a time, batches have one frame, and this many
   * batches form a step.
   *
   * @default 4
   */
  readonly batchSize?: number;
  /**
   * Unit in which the metrics report errors of stresses.
   *
   * @default "meV/Å³"
   */
  readonly stressUnit?: "meV/Å³" | "GPa";
  /**
   * The .onnx file to write. Its manifest and its reference are written beside it.
   *
   * @default undefined: nothing is written
   */
  readonly out?: string | URL;
  /**
   * Number of frames in the reference of the tuned model, at least 1. The reference has results in double precision,
   * with which `OnnxModel.open` compares the model.
   *
   * @default 2
   */
  readonly references?: number;
  /**
   * Function that receives the trainer before the first step, after the validation of the original model. It can
   * attach a run folder, or load a checkpoint.
   *
   * @default undefined
   */
  readonly prepare?: (trainer: TrainerCore) => void | Promise<void>;
  /**
   * Hooks of the trainer, such as `ConsoleLog` and `NanGuard`.
   *
   * @default undefined
   */
  readonly hooks?: TrainingHooks;
}

/** Names of the options that are passed to the trainer unchanged. */
export const TRAINER_OPTIONS: readonly (keyof FineTuneOptions & keyof TrainerParts)[] = [
  "freeze",
  "schedule",
  "epochs",
  "steps",
  "accumulate",
  "clip",
  "ema",
  "validateEvery",
  "workers",
  "group",
  "device",
  "threads",
  "threadMemory",
  "runtime",
  "name",
  "signal",
  "onWarning",
];

const OWN_OPTIONS: readonly (keyof FineTuneOptions)[] = [
  "model",
  "train",
  "valid",
  "manifest",
  "derived",
  "energy",
  "forces",
  "stress",
  "virial",
  "weight",
  "weights",
  "elementEnergies",
  "parameters",
  "lora",
  "replay",
  "batchSize",
  "seed",
  "optimizers",
  "stressUnit",
  "out",
  "references",
  "verify",
  "verifyHooks",
  "prepare",
  "hooks",
];

/** Names of all options of `fineTune`. */
export const FINE_TUNE_OPTIONS: readonly string[] = [...OWN_OPTIONS, ...TRAINER_OPTIONS];

/** Returns the weights of the terms of the loss, with defaults applied. Targets that are not read have the weight 0. */
export function weightsOf(
  { weights = {}, energy, forces, stress }: FineTuneOptions,
): Required<FineTuneWeights> {
  return {
    energy: energy === false ? 0 : weights.energy ?? 1,
    forces: forces === false ? 0 : weights.forces ?? 10,
    stress: stress === false ? 0 : weights.stress ?? 0,
  };
}

/** Weights of the terms of the loss, in the units of `energyForces`. */
export interface FineTuneWeights {
  /**
   * Weight of the mean squared error of energies per atom, or a function of the step.
   *
   * @default 1
   */
  readonly energy?: LossWeight;
  /**
   * Weight of the mean squared error of force components, or a function of the step.
   *
   * @default 10
   */
  readonly forces?: LossWeight;
  /**
   * Weight of the mean squared error of stress components, or a function of the step.
   *
   * @default 0
   */
  readonly stress?: LossWeight;
}

/** Losses and errors by name, such as `"val/energyMAE"`. */
export type TuningMetrics = Readonly<Record<string, number>>;

/** Result of a fine-tuning. */
export interface FineTuned {
  /** The bytes of the tuned model, with its manifest in the metadata. */
  readonly model: Uint8Array<ArrayBuffer>;
  /** Manifest of the tuned model. */
  readonly manifest: OnnxManifest;
  /** Energy in eV that the tuned model adds for each atom, by symbol; `undefined` if it adds no energies. */
  readonly elementEnergies: Readonly<Record<string, number>> | undefined;
  /** The parameters that were trained. */
  readonly parameters: readonly ParameterInfo[];
  /**
   * Results of a validation before training, with the new energies of elements; `undefined` if there are no
   * validation data.
   */
  readonly before: TuningMetrics | undefined;
  /** Results of a validation of the tuned model; `undefined` if there are no validation data. */
  readonly after: TuningMetrics | undefined;
  /** Losses and errors after each epoch. */
  readonly epochs: readonly { readonly epoch: number; readonly metrics: TuningMetrics }[];
  /** Outcome of the training. */
  readonly outcome: Outcome;
}
