/**
 * Scripts of a scripted trainer.
 *
 * @module
 */

import type { HookWarning } from "../../hooks/protocol/outcome.ts";
import type { InitialHooks, Names } from "../../hooks/registry/hook_set.ts";
import type { Activation, ClipSettings, TrainingBatch } from "../../training/context.ts";
import type { ScheduleView } from "../../training/context.ts";
import type {
  TrainingHooks,
  TrainingHooksOf,
  TrainingKind,
} from "../../training/trainer_options.ts";
import type { ScriptedGroup } from "./scripted_optimizer.ts";

/** Arrays of numbers by name. */
export type NumbersByName = Readonly<Record<string, ArrayLike<number>>>;

/** Results of an epoch. */
export interface ScriptedEpoch {
  /** Loss of each batch. A batch with an Error throws it. */
  readonly losses: readonly (number | Error)[];
  /**
   * Other metrics of each batch.
   *
   * @default undefined
   */
  readonly metrics?: readonly Readonly<Record<string, number>>[];
  /**
   * Gradients of each batch.
   *
   * @default those of the script
   */
  readonly gradients?: readonly NumbersByName[];
  /**
   * Metrics of the validation after the epoch: `{ "val/loss": 2 }`.
   *
   * @default no validation
   */
  readonly validation?: Readonly<Record<string, number>>;
}

/** A script without its hooks. */
export interface ScriptParts {
  /** Epochs in order. */
  readonly epochs: readonly ScriptedEpoch[];
  /**
   * Configuration of the trainer, as hooks find it in `trainer.config`.
   *
   * @default undefined
   */
  readonly config?: unknown;
  /**
   * Learning rate of every group.
   *
   * @default 1e-3
   */
  readonly lr?: number;
  /**
   * Weight decay of every group.
   *
   * @default 0
   */
  readonly weightDecay?: number;
  /**
   * Momentum of every group.
   *
   * @default 0
   */
  readonly momentum?: number;
  /**
   * Groups of each optimizer.
   *
   * @default one optimizer with one group of all parameters
   */
  readonly optimizers?: readonly (readonly ScriptedGroup[])[];
  /**
   * Schedule of the learning rates.
   *
   * @default constant
   */
  readonly schedule?: ScheduleView;
  /**
   * Initial values of the parameters.
   *
   * @default one parameter "w" with the value 0
   */
  readonly parameters?: NumbersByName;
  /**
   * Gradients of every batch.
   *
   * @default 0
   */
  readonly gradients?: NumbersByName;
  /**
   * Tensors that hooks may read in every batch: `reads: ["activations:*"]` and `"statistics:*"`.
   *
   * @default undefined
   */
  readonly activations?: Readonly<Record<string, Activation>>;
  /**
   * Number of batches per step.
   *
   * @default 1
   */
  readonly accumulate?: number;
  /**
   * Limits for gradient clipping, by norm and by value.
   *
   * @default undefined
   */
  readonly clip?: ClipSettings;
  /**
   * Returns the tensors of a batch, given the zero-based indices of the epoch and of the batch in it.
   *
   * @default one sample without tensors
   */
  readonly batch?: (epoch: number, batchIdx: number) => TrainingBatch;
  /**
   * Name of the trainer.
   *
   * @default "scripted"
   */
  readonly name?: string;
  /**
   * Called with every error of a hook that does not stop the run.
   *
   * @default such an error fails the run
   */
  readonly onWarning?: (warning: HookWarning) => void;
}

/** Script of a scripted trainer. */
export type TrainingScript<
  H extends TrainingHooksOf<H> = never,
  N extends Names = Names,
  W extends Names = Names,
> = ScriptParts & {
  /**
   * Initial hooks. `hooks.add` accepts more, with options.
   *
   * @default undefined
   */
  readonly hooks?: [H] extends [never] ? TrainingHooks : InitialHooks<TrainingKind, H, N, W>;
};
