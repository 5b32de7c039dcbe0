/**
 * Types of values in the contexts of training hooks. This file depends on no other part of training, so every module
 * may import it.
 *
 * @module
 */

import type { HostFeed } from "../onnx/session/session_tensor.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type { BatchesLike } from "./data/interleave.ts";
import type { LossLike } from "./losses/loss.ts";
import type { NumberList } from "../hooks/protocol/context.ts";

export type { TrainingBatch } from "./data/data_source.ts";

/** Phase of a run: training, or validation. */
export type TrainingPhase = "train" | "validation";

/** Status of a trainer. */
export type TrainerStatus = "idle" | "training" | "completed" | "stopped" | "error";

/** Facts that identify a training run, so that it can be repeated. Logs write them when training begins. */
export interface RunInfo {
  /** Id of the run, which is the same in all logs. */
  readonly id: string;
  /**
   * Hash of the commit that is checked out in the current directory. Absent if there is no repository, or no
   * permission to read it.
   */
  readonly commit?: string;
  /** Hash of the configuration, computed by `configHash`. Absent if there is no configuration. */
  readonly configHash?: string;
}

/** Live state of a training run: `trainer.state`, and `ctx.state` for hooks. */
export interface TrainerState {
  /** Name of the model. */
  readonly model: string;
  /** The optimizers; the same as `ctx.optimizers`. */
  readonly optimizer: readonly OptimizerView[];
  /** Name of the device, such as `"wasm"`. */
  readonly device: string;
  /** Number of finished epochs, which is the index of the current epoch. */
  readonly currentEpoch: number;
  /** Number of finished batches of the current epoch, which is the index of the current batch. */
  readonly currentBatchIdx: number;
  /** Loss of the last batch; NaN before the first batch. */
  readonly latestLoss: number;
  /** Mean loss per sample of the current epoch so far; NaN before its first batch. */
  readonly avgLoss: number;
  /** Number of trained values, summed over all parameters. */
  readonly modelParams: number;
  /** Status of the trainer. */
  readonly status: TrainerStatus;
  /** Number of optimizer steps done. */
  readonly step: number;
  /** Number of samples seen, over all epochs. */
  readonly samplesSeen: number;
  /** Number of tokens seen, over all epochs; 0 if batches do not report their `tokens`. */
  readonly tokensSeen: number;
  /** Latest value of each metric of training and validation, by name. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Parameters that share their learning rate, decay and momentum. */
export interface ParameterGroup {
  /** Names of the parameters. */
  readonly parameters: readonly string[];
  /**
   * The learning rate in this step. A hook that declares `writes: ["optimizers"]` may set it; the schedule continues
   * from the new rate.
   */
  lr: number;
  /** The weight decay. */
  weightDecay: number;
  /** The momentum, which for Adam is the first beta; 0 without momentum. */
  momentum: number;
}

/** An optimizer whose groups a hook may change. */
export interface OptimizerSettings {
  /** Name of the optimizer. */
  readonly name: string;
  /** Parameter groups of the optimizer. */
  readonly groups: readonly ParameterGroup[];
}

/** An optimizer, read-only. */
export interface OptimizerView {
  /** Name of the optimizer. */
  readonly name: string;
  /** Parameter groups of the optimizer. */
  readonly groups: readonly Readonly<ParameterGroup>[];
}

/** The learning-rate schedule of an optimizer, read-only. */
export interface ScheduleView {
  /** Returns the factor by which learning rates are multiplied in a step. Steps are counted from 0. */
  factor(step: number): number;
}

/** A parameter of the model. */
export interface ParameterInfo {
  /** Name of the tensor in the model. */
  readonly name: string;
  /** Shape of the tensor. */
  readonly dims: readonly number[];
  /** Number of elements. */
  readonly size: number;
  /** Index of the optimizer that updates the parameter, from 0; −1 if the parameter is frozen. */
  readonly optimizer: number;
}

/** A tensor of the model, read-only. */
export interface Activation {
  /** Shape of the tensor. */
  readonly dims: readonly number[];
  /** Elements in row-major order. */
  readonly data: NumberList;
}

/** Statistics of a tensor, computed on its device. */
export interface ActivationStatistics {
  /** Mean of all elements. */
  readonly mean: number;
  /** Standard deviation of all elements. */
  readonly std: number;
  /** Smallest element. */
  readonly min: number;
  /** Largest element. */
  readonly max: number;
}

/**
 * Values of a parameter that can be read: the parameter itself, its moving average, or its gradient in the current
 * step.
 */
export type ParameterValues = "parameters" | "ema" | "gradients";

/** Validation data: one source of batches, or several by name. */
export type ValidationData = BatchesLike | Readonly<Record<string, BatchesLike>>;

/** The members of a trainer that hooks may use. */
export interface TrainerControl {
  /** Name of the trainer. */
  readonly name: string;
  /** The configuration of the run: the option `config`, or `hooksConfig` if there is no `config`. */
  readonly config: unknown;
  /** The live state of the run. */
  readonly state: TrainerState;
  /** The parameters of the model. */
  readonly parameters: readonly ParameterInfo[];
  /**
   * Returns a copy of a parameter, of its moving average, or of its gradient, from whatever device it is on. Rejects
   * with a RangeError if no parameter has the name, or if averages are requested and not kept.
   *
   * @param of the values to copy; `"parameters"` by default
   */
  parameter(name: string, of?: ParameterValues): Promise<Float32Array>;
  /** Requests that the run stops after the current step. */
  stop(reason: string): void;
  /**
   * Requests that a checkpoint is written after the current step. CHECKPOINT_SAVE fires when the file is complete.
   *
   * @param weights `"onnx"` to write only the model, as an .onnx file
   */
  checkpointSoon(path: string, weights?: "onnx"): void;
  /**
   * Requests a validation after the current step. Its metrics are in the context of VALIDATION_END.
   *
   * @param data the validation data; by default those of the trainer's options
   */
  validateSoon(data?: ValidationData): void;
}

/** A change of a tensor within the model. It applies in training, and when the tensor is observed. */
export type ActivationPatch =
  | {
    /** Name of the tensor in the graph. */
    readonly point: string;
    /** Replaces all elements by 0. */
    readonly kind: "zero";
  }
  | {
    /** Name of the tensor in the graph. */
    readonly point: string;
    /** Multiplies the tensor by a factor. */
    readonly kind: "scale";
    /** Factor by which each element is multiplied. */
    readonly by: number;
  }
  | {
    /** Name of the tensor in the graph. */
    readonly point: string;
    /** Adds a tensor to the original one, or replaces the original one. */
    readonly kind: "add" | "replace";
    /** Values of the same shape. Values to add may have another shape that can be broadcast. */
    readonly by: HostFeed;
  };

/** Settings of gradient clipping. */
export interface ClipSettings {
  /** Maximum norm of all gradients together. */
  readonly norm?: number;
  /** Maximum absolute value of each element of the gradients. */
  readonly value?: number;
}

/** Settings of the exponential moving averages of parameters. */
export interface EmaSettings {
  /** Fraction of the average that each step keeps. */
  readonly decay: number;
  /**
   * True to validate the averages instead of the parameters.
   *
   * @default false
   */
  readonly validate?: boolean;
}

/**
 * Settings that a hook requests from its trainer by its member `settings`, as long as the hook is enabled. If several
 * hooks set the same member, the last hook wins; hooks override the options of the trainer. `terms`, `patches` and
 * `points` of all hooks are combined.
 */
export interface TrainerSettings {
  /** Number of batches per step. */
  readonly accumulate?: number;
  /** Gradient clipping. */
  readonly clip?: ClipSettings;
  /** Exponential moving averages of the parameters. */
  readonly ema?: EmaSettings;
  /** Terms to add to the loss. */
  readonly terms?: readonly LossLike[];
  /** Changes of tensors within the model. */
  readonly patches?: readonly ActivationPatch[];
  /** Tensors that this hook changes at the stage ACTIVATIONS: names, or patterns of names. */
  readonly points?: readonly string[];
}

/** Outcome of a run, an epoch or a batch. */
export type { Outcome };
