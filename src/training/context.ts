/**
 * What training hooks find in their context: leaf types, which every room may know.
 *
 * @module
 */

import type { HostFeed } from "../onnx/session/session_tensor.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type { BatchesLike } from "./data/interleave.ts";
import type { LossLike } from "./losses/loss.ts";
import type { ReadonlyNumbers } from "../hooks/protocol/context.ts";

export type { TrainingBatch } from "./data/data_source.ts";

/** Which part of a run an event belongs to. */
export type TrainingPhase = "train" | "validation";

/** How a trainer is doing. */
export type TrainerStatus = "idle" | "training" | "completed" | "stopped" | "error";

/** What is known of a training run, live: `trainer.state`, and `ctx.state` for hooks. */
export interface TrainerState {
  /** What the model is called. */
  readonly model: string;
  /** The optimizers, as `ctx.optimizers`. */
  readonly optimizer: readonly OptimizerView[];
  /** Where it runs. */
  readonly device: string;
  /** Epochs done before this one. */
  readonly currentEpoch: number;
  /** Batches of this epoch done before this one. */
  readonly currentBatchIdx: number;
  /** The loss of the last batch; NaN before there was one. */
  readonly latestLoss: number;
  /** The mean loss per sample of this epoch so far; NaN before there was a batch. */
  readonly avgLoss: number;
  /** How many numbers are trained. */
  readonly modelParams: number;
  /** How it is doing. */
  readonly status: TrainerStatus;
  /** Optimizer steps done. */
  readonly step: number;
  /** Samples seen, over all epochs. */
  readonly samplesSeen: number;
  /** Tokens seen, where batches say how many they have. */
  readonly tokensSeen: number;
  /** The last metrics of each name, training and validation alike. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Parameters that share their learning rate, decay and momentum. */
export interface ParameterGroup {
  /** Names of the parameters. */
  readonly parameters: readonly string[];
  /** The learning rate in this step. A hook that `writes: ["optimizers"]` may set it; what a schedule does goes on from there. */
  lr: number;
  /** The weight decay. */
  weightDecay: number;
  /** The momentum, or Adam's first beta; 0 where there is none. */
  momentum: number;
}

/** An optimizer, as a hook that writes it gets it. */
export interface OptimizerSettings {
  /** What it is called. */
  readonly name: string;
  /** Its groups. */
  readonly groups: readonly ParameterGroup[];
}

/** An optimizer, to be looked at. */
export interface OptimizerView {
  /** What it is called. */
  readonly name: string;
  /** Its groups. */
  readonly groups: readonly Readonly<ParameterGroup>[];
}

/** What an optimizer's learning rates follow, to be looked at. */
export interface ScheduleView {
  /** What learning rates are multiplied by in a step, 0 first. */
  factor(step: number): number;
}

/** A parameter of the model. */
export interface ParameterInfo {
  /** Its name in the file. */
  readonly name: string;
  /** Its lengths. */
  readonly dims: readonly number[];
  /** How many numbers it has. */
  readonly size: number;
  /** The optimizer that moves it, from 0; −1 where it is frozen. */
  readonly optimizer: number;
}

/** A tensor that came out of the model, to be looked at. */
export interface Activation {
  /** Its lengths. */
  readonly dims: readonly number[];
  /** Its numbers, the last index fastest. */
  readonly data: ReadonlyNumbers;
}

/** A few numbers about a tensor, computed where it is. */
export interface ActivationStatistics {
  /** The mean. */
  readonly mean: number;
  /** The standard deviation. */
  readonly std: number;
  /** The least. */
  readonly min: number;
  /** The most. */
  readonly max: number;
}

/** Numbers of a parameter: itself, its average, or its gradient in the step under way. */
export type ParameterValues = "parameters" | "ema" | "gradients";

/** What a model may be validated with: one source of batches, or several by name. */
export type ValidationData = BatchesLike | Readonly<Record<string, BatchesLike>>;

/** The trainer, as hooks see it. */
export interface TrainerControl {
  /** What it is called. */
  readonly name: string;
  /** What is known of the run. */
  readonly state: TrainerState;
  /** The parameters of the model. */
  readonly parameters: readonly ParameterInfo[];
  /**
   * A copy of a parameter as it is now, of its average where those are kept, or of its gradient; wherever they are.
   * Rejects with a RangeError for a name that no parameter has.
   *
   * @param of which of them: the parameter itself where it is left out
   */
  parameter(name: string, of?: ParameterValues): Promise<Float32Array>;
  /** Asks to stop after the step under way. */
  stop(reason: string): void;
  /**
   * Has a checkpoint written as soon as the step under way is done; CHECKPOINT_SAVE follows when it is on disk.
   *
   * @param weights write the model alone, as an .onnx file
   */
  checkpointSoon(path: string, weights?: "onnx"): void;
  /**
   * Has the model validated as soon as the step under way is done; VALIDATION_END has the metrics.
   *
   * @param data left out, that of the trainer's options
   */
  validateSoon(data?: ValidationData): void;
}

/** Something that takes the place of a tensor of the model while it trains and is looked at. */
export type ActivationPatch =
  | {
    /** Which tensor, by its name in the graph. */
    readonly point: string;
    /** Zeros take its place. */
    readonly kind: "zero";
  }
  | {
    /** Which tensor. */
    readonly point: string;
    /** It is multiplied. */
    readonly kind: "scale";
    /** By this. */
    readonly by: number;
  }
  | {
    /** Which tensor. */
    readonly point: string;
    /** Something is added to it, or takes its place. */
    readonly kind: "add" | "replace";
    /** This, of its shape; what is added may be of another that broadcasts. */
    readonly by: HostFeed;
  };

/** How gradients are clipped. */
export interface ClipSettings {
  /** All together are made no longer than this. */
  readonly norm?: number;
  /** No number is further from 0 than this. */
  readonly value?: number;
}

/** How averages of parameters are kept. */
export interface EmaSettings {
  /** What is kept of them at each step. */
  readonly decay: number;
  /**
   * Whether the averages are validated, rather than the parameters.
   *
   * @default false
   */
  readonly validate?: boolean;
}

/**
 * What a hook asks of its trainer while it is on: its member `settings`. Those of the last hook count, before those of
 * the trainer's own options; terms and patches of all hooks are taken together.
 */
export interface TrainerSettings {
  /** How many batches are one step. */
  readonly accumulate?: number;
  /** How gradients are clipped. */
  readonly clip?: ClipSettings;
  /** How averages of parameters are kept. */
  readonly ema?: EmaSettings;
  /** What is added to the loss. */
  readonly terms?: readonly LossLike[];
  /** What takes the place of tensors of the model. */
  readonly patches?: readonly ActivationPatch[];
  /** Where the pipe ACTIVATIONS of this hook takes hold: names of tensors, or patterns. */
  readonly points?: readonly string[];
}

/** How something that began has ended. */
export type { Outcome };
