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
import type { LoraOptions } from "./lora.ts";

/** Options of {@linkcode fineTune}: those of a trainer, with other defaults. */
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
   * Name of an input → the function that makes it, as for `OnnxModel.open`.
   *
   * @default undefined
   */
  readonly derived?: Readonly<Record<string, OnnxDerive>>;
  /**
   * False if the potential is not compared with its reference before it is tuned; see `OnnxModel.open`.
   *
   * @default true
   */
  readonly verify?: boolean;
  /**
   * True to check that observers change nothing, as `verify` of a trainer does. Slow; meant for tests.
   *
   * @default false
   */
  readonly verifyHooks?: boolean;
  /** The frames to train with. They may lack energies, forces or stresses. */
  readonly train: BatchInput;
  /**
   * The frames to validate with, or the share of `train` that is kept for it; 0 to keep no frame.
   *
   * @default 0.1
   */
  readonly valid?: BatchInput | number;
  /**
   * Weights of the mean squared errors of energies per atom, forces and stresses; 0 leaves them out. As many as
   * `energyForces` has, in its units.
   *
   * @default { energy: 1, forces: 10, stress: 0 }
   */
  readonly weights?: FineTuneWeights;
  /**
   * Energies of elements that the tuned model adds: `"shift"` fits them to the errors of the model on the energies of
   * `train`, `"fit"` to the energies themselves, `"keep"` leaves those of the manifest. A table is symbol → energy,
   * eV. They are fitted once, before training, and fixed from then on.
   *
   * @default "shift"
   */
  readonly elementEnergies?: "shift" | "fit" | "keep" | Readonly<Record<string, number>>;
  /**
   * Adapters that are trained instead of weight matrices. `parameters` names further tensors to train.
   *
   * @default undefined: parameters are trained themselves
   */
  readonly lora?: LoraOptions;
  /**
   * Frames that are mixed into each epoch. Their energies are those of the model's own manifest, unless
   * `elementEnergies` says otherwise.
   *
   * @default undefined
   */
  readonly replay?: AtomsReplay;
  /**
   * Frames per batch. A graph that takes one system at a time has batches of one, of which as many are a step.
   *
   * @default 4
   */
  readonly batchSize?: number;
  /**
   * Unit of errors of stresses.
   *
   * @default "meV/Å³"
   */
  readonly stressUnit?: "meV/Å³" | "GPa";
  /**
   * The .onnx file to write; its manifest and its reference are written beside it.
   *
   * @default nothing is written
   */
  readonly out?: string | URL;
  /**
   * Number of frames in the reference, at least 1: results of the tuned model in double precision, which `OnnxModel.open` compares.
   *
   * @default 2
   */
  readonly references?: number;
  /**
   * Hooks of the trainer, such as `ConsoleLog` and `NanGuard`.
   *
   * @default undefined
   */
  readonly hooks?: TrainingHooks;
}

/** The options that a trainer takes as they are. */
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
  "hooks",
];

/** The names of all options. */
export const FINE_TUNE_OPTIONS: readonly string[] = [...OWN_OPTIONS, ...TRAINER_OPTIONS];

/** Returns the weights of the terms of the loss; targets that are not read have no weight. */
export function weightsOf(
  { weights = {}, energy, forces, stress }: FineTuneOptions,
): Required<FineTuneWeights> {
  return {
    energy: energy === false ? 0 : weights.energy ?? 1,
    forces: forces === false ? 0 : weights.forces ?? 10,
    stress: stress === false ? 0 : weights.stress ?? 0,
  };
}

/** Weights of the terms of the loss. */
export interface FineTuneWeights {
  /**
   * Weight of energies.
   *
   * @default 1
   */
  readonly energy?: LossWeight;
  /**
   * Weight of forces.
   *
   * @default 10
   */
  readonly forces?: LossWeight;
  /**
   * Weight of stresses.
   *
   * @default 0
   */
  readonly stress?: LossWeight;
}

/** Losses and errors by name: `"val/energyMAE"`. */
export type TuningMetrics = Readonly<Record<string, number>>;

/** Result of a fine-tuning. */
export interface FineTuned {
  /** The bytes of the tuned model, with its manifest in their notes. */
  readonly model: Uint8Array<ArrayBuffer>;
  /** Manifest. */
  readonly manifest: OnnxManifest;
  /** Energies that are added for each element, eV; `undefined` if no energies are added. */
  readonly elementEnergies: Readonly<Record<string, number>> | undefined;
  /** The parameters that were trained. */
  readonly parameters: readonly ParameterInfo[];
  /** Errors of validation with the new energies of elements, before training; `undefined` without validation. */
  readonly before: TuningMetrics | undefined;
  /** Errors of validation of the tuned model. */
  readonly after: TuningMetrics | undefined;
  /** Losses and errors of each epoch. */
  readonly epochs: readonly { readonly epoch: number; readonly metrics: TuningMetrics }[];
  /** Outcome of the training. */
  readonly outcome: Outcome;
}
