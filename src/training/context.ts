/**
 * Types of values in the context of training hooks: leaf types, which every room may import.
 *
 * @module
 */

import type { HostFeed } from "../onnx/session/session_tensor.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type { BatchesLike } from "./data/interleave.ts";
import type { LossLike } from "./losses/loss.ts";
import type { NumberList } from "../hooks/protocol/context.ts";

export type { TrainingBatch } from "./data/data_source.ts";

/** The part of a run that an event belongs to. */
export type TrainingPhase = "train" | "validation";

/** Status of a trainer. */
export type TrainerStatus = "idle" | "training" | "completed" | "stopped" | "error";

/** The facts that identify a training run and allow repeating it. Logs write them as training begins. */
export interface RunInfo {
  /** The id of the run, as in all logs. */
  readonly id: string;
  /** The commit that is checked out in the current directory. Absent without a repository or permission to read it. */
  readonly commit?: string;
  /** The hash of the configuration, see `configHash`. Absent without a configuration. */
  readonly configHash?: string;
}

/** Live state of a training run: `trainer.state`, and `ctx.state` for hooks. */
export interface TrainerState {
  /** Name of the model. */
  readonly model: string;
  /** The optimizers, as `ctx.optimizers`. */
  readonly optimizer: readonly OptimizerView[];
  /** Device that it runs on. */
  readonly device: string;
  /** Epochs done before this one. */
  readonly currentEpoch: number;
  /** Batches of this epoch done before this one. */
  readonly currentBatchIdx: number;
  /** The loss of the last batch; NaN before there was one. */
  readonly latestLoss: number;
  /** The mean loss per sample of this epoch so far; NaN before there was a batch. */
  readonly avgLoss: number;
  /** Number of trained values. */
  readonly modelParams: number;
  /** Status of the trainer. */
  readonly status: TrainerStatus;
  /** Optimizer steps done. */
  readonly step: number;
  /** Samples seen, over all epochs. */
  readonly samplesSeen: number;
  /** Tokens seen, if batches report their `tokens`. */
  readonly tokensSeen: number;
  /** The last metrics of each name, training and validation alike. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Parameters that share their learning rate, decay and momentum. */
export interface ParameterGroup {
  /** Names of the parameters. */
  readonly parameters: readonly string[];
  /**
   * The learning rate in this step. A hook that `writes: ["optimizers"]` may set it; a schedule continues from there.
   */
  lr: number;
  /** The weight decay. */
  weightDecay: number;
  /** The momentum, or Adam's first beta; 0 without momentum. */
  momentum: number;
}

/** An optimizer, as a hook that writes it gets it. */
export interface OptimizerSettings {
  /** Name. */
  readonly name: string;
  /** Groups. */
  readonly groups: readonly ParameterGroup[];
}

/** An optimizer, read-only. */
export interface OptimizerView {
  /** Name. */
  readonly name: string;
  /** Groups. */
  readonly groups: readonly Readonly<ParameterGroup>[];
}

/** The learning-rate schedule of an optimizer, read-only. */
export interface ScheduleView {
  /** Returns the factor of the learning rates in a step, counted from 0. */
  factor(step: number): number;
}

/** A parameter of the model. */
export interface ParameterInfo {
  /** Name in the file. */
  readonly name: string;
  /** Lengths. */
  readonly dims: readonly number[];
  /** Number of its values. */
  readonly size: number;
  /** Index of its optimizer, from 0; −1 if it is frozen. */
  readonly optimizer: number;
}

/** An output tensor of the model, read-only. */
export interface Activation {
  /** Lengths. */
  readonly dims: readonly number[];
  /** Numbers, the last index fastest. */
  readonly data: NumberList;
}

/** Statistics of a tensor, computed on its device. */
export interface ActivationStatistics {
  /** The mean. */
  readonly mean: number;
  /** The standard deviation. */
  readonly std: number;
  /** The minimum. */
  readonly min: number;
  /** The maximum. */
  readonly max: number;
}

/** Numbers of a parameter: itself, its average, or its gradient in the current step. */
export type ParameterValues = "parameters" | "ema" | "gradients";

/** Validation data: one source of batches, or several by name. */
export type ValidationData = BatchesLike | Readonly<Record<string, BatchesLike>>;

/** The trainer, as hooks see it. */
export interface TrainerControl {
  /** Name. */
  readonly name: string;
  /** The configuration that it was made with: its option `config`, otherwise `hooksConfig`. */
  readonly config: unknown;
  /** The live state of the run. */
  readonly state: TrainerState;
  /** The parameters of the model. */
  readonly parameters: readonly ParameterInfo[];
  /**
   * Returns a copy of a parameter as it is now, of its average where those are kept, or of its gradient; wherever they
   * are. Rejects with a RangeError for a name that no parameter has.
   *
   * @param of which of them: the parameter itself by default
   */
  parameter(name: string, of?: ParameterValues): Promise<Float32Array>;
  /** Asks to stop after the current step. */
  stop(reason: string): void;
  /**
   * Asks for a checkpoint as soon as the current step is done; CHECKPOINT_SAVE follows when it is on disk.
   *
   * @param weights write the model alone, as an .onnx file
   */
  checkpointSoon(path: string, weights?: "onnx"): void;
  /**
   * Asks for a validation as soon as the current step is done; VALIDATION_END has the metrics.
   *
   * @param data left out, that of the trainer's options
   */
  validateSoon(data?: ValidationData): void;
}

/** A replacement of a tensor of the model, in training and when it is observed. */
export type ActivationPatch =
  | {
    /** Name of the tensor in the graph. */
    readonly point: string;
    /** Zeros replace the tensor. */
    readonly kind: "zero";
  }
  | {
    /** Name of the tensor in the graph. */
    readonly point: string;
    /** The tensor is multiplied. */
    readonly kind: "scale";
    /** The factor. */
    readonly by: number;
  }
  | {
    /** Name of the tensor in the graph. */
    readonly point: string;
    /** A tensor is added to it, or replaces it. */
    readonly kind: "add" | "replace";
    /** Values of the same shape; values to add may have another shape that broadcasts. */
    readonly by: HostFeed;
  };

/** Settings of gradient clipping. */
export interface ClipSettings {
  /** Maximum norm of all gradients together. */
  readonly norm?: number;
  /** Maximum absolute value of each gradient. */
  readonly value?: number;
}

/** Settings of the exponential moving averages of parameters. */
export interface EmaSettings {
  /** Fraction of the average that is kept at each step. */
  readonly decay: number;
  /**
   * True to validate the averages instead of the parameters.
   *
   * @default false
   */
  readonly validate?: boolean;
}

/**
 * Settings that a hook asks of its trainer while it is enabled: its member `settings`. Those of the last hook count, then
 * the options of the trainer. Terms and patches of all hooks are combined.
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
  /** Replacements of tensors of the model. */
  readonly patches?: readonly ActivationPatch[];
  /** Tensors that the pipe ACTIVATIONS of this hook changes: names, or patterns of names. */
  readonly points?: readonly string[];
}

/** Outcome of a run, an epoch or a batch. */
export type { Outcome };
