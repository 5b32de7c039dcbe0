/**
 * What a scripted trainer is told to come to.
 *
 * @module
 */

import type { HookWarning } from "../../hooks/protocol/outcome.ts";
import type { AcceptAll } from "../../hooks/registry/hook_set.ts";
import type { Activation, ClipSettings, TrainingBatch } from "../../training/context.ts";
import type { ScheduleView } from "../../training/context.ts";
import type { TrainingHooks, TrainingKind } from "../../training/trainer_options.ts";
import type { ScriptedGroup } from "./scripted_optimizer.ts";

/** Numbers by name. */
export type NumbersByName = Readonly<Record<string, ArrayLike<number>>>;

/** What an epoch comes to. */
export interface ScriptedEpoch {
  /** The loss of each batch. A batch with an Error fails, and throws it. */
  readonly losses: readonly (number | Error)[];
  /**
   * What else is measured in each batch.
   *
   * @default nothing
   */
  readonly metrics?: readonly Readonly<Record<string, number>>[];
  /**
   * The gradients of each batch.
   *
   * @default those of the script
   */
  readonly gradients?: readonly NumbersByName[];
  /**
   * What validation after the epoch comes to: `{ "val/loss": 2 }`.
   *
   * @default there is none
   */
  readonly validation?: Readonly<Record<string, number>>;
}

/** What a scripted trainer is told, but for its hooks. */
export interface ScriptParts {
  /** Its epochs, one after another. */
  readonly epochs: readonly ScriptedEpoch[];
  /**
   * The learning rate of every group.
   *
   * @default 1e-3
   */
  readonly lr?: number;
  /**
   * The weight decay.
   *
   * @default 0
   */
  readonly weightDecay?: number;
  /**
   * The momentum.
   *
   * @default 0
   */
  readonly momentum?: number;
  /**
   * The groups of each optimizer.
   *
   * @default one optimizer with one group of all parameters
   */
  readonly optimizers?: readonly (readonly ScriptedGroup[])[];
  /**
   * What learning rates follow.
   *
   * @default they stay as they are
   */
  readonly schedule?: ScheduleView;
  /**
   * The parameters, as they begin.
   *
   * @default one, called "w", that is 0
   */
  readonly parameters?: NumbersByName;
  /**
   * Gradients of every batch.
   *
   * @default 0
   */
  readonly gradients?: NumbersByName;
  /**
   * Tensors that hooks may look at, `reads: ["activations:*"]` and `"statistics:*"`, in every batch.
   *
   * @default none
   */
  readonly activations?: Readonly<Record<string, Activation>>;
  /**
   * How many batches are one step.
   *
   * @default 1
   */
  readonly accumulate?: number;
  /**
   * How gradients are clipped.
   *
   * @default not at all
   */
  readonly clip?: ClipSettings;
  /**
   * The tensors of a batch.
   *
   * @default one sample without tensors
   */
  readonly batch?: (epoch: number, batchIdx: number) => TrainingBatch;
  /**
   * What it is called.
   *
   * @default "scripted"
   */
  readonly name?: string;
  /**
   * Told of every error of a hook that does not stop the run.
   *
   * @default it stops the run: this is a test
   */
  readonly onWarning?: (warning: HookWarning) => void;
}

/** What a scripted trainer is told. */
export type TrainingScript<H extends TrainingHooks = TrainingHooks> = ScriptParts & {
  /**
   * Hooks to begin with; `hooks.add` takes more, with options.
   *
   * @default none
   */
  readonly hooks?: H & AcceptAll<TrainingKind, H>;
};
