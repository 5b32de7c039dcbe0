/**
 * Steps of a scripted trainer, which run the stages of a `Trainer` in the same order.
 *
 * @module
 */

import type { Loop } from "../../hooks/loop/loop.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { ClipSettings, TrainerSettings } from "../../training/context.ts";
import { type ComputedLoss, TrainingStage } from "../../training/stages.ts";
import type { TrainingKind } from "../../training/trainer_options.ts";
import { clipAll, meanOf, normOf, renamed } from "./scripted_numbers.ts";
import { descend, type LiveOptimizer } from "./scripted_optimizer.ts";
import type { ScriptedState } from "./scripted_fields.ts";
import type { NumbersByName, ScriptedEpoch, ScriptParts } from "./training_script.ts";

/** Members of the trainer that the steps use. */
export interface ScriptedHost {
  readonly loop: Loop<TrainingKind>;
  readonly state: ScriptedState;
  readonly optimizers: readonly LiveOptimizer[];
  readonly values: ReadonlyMap<string, Float32Array>;
  readonly checkpoints: string[];
}

/** Flags of the scopes that have begun and not ended. */
interface Open {
  run: boolean;
  epoch: boolean;
  batch: boolean;
  validation: boolean;
}

const DONE: Outcome = { status: "completed" };

/** Runs the steps of a script, and fires the stages of a `Trainer`. */
export class ScriptedSteps {
  /** Paths of the checkpoints that hooks have requested and that are not saved yet. */
  readonly wanted: string[] = [];
  /** True if a hook has requested a validation. */
  wantsValidation = false;
  /** Gradients by parameter, summed over the batches of the current step. */
  gradients: Map<string, Float32Array> = new Map();
  readonly #script: ScriptParts;
  readonly #host: ScriptedHost;
  readonly #open: Open = { run: false, epoch: false, batch: false, validation: false };
  #norm: number | undefined;
  #losses: number[] = [];

  constructor(script: ScriptParts, host: ScriptedHost) {
    this.#script = script;
    this.#host = host;
    // Compute these values on request, as a Trainer does.
    Object.defineProperties(host.loop.context, {
      gradients: { get: () => this.gradients },
      gradNorm: { get: () => this.norm },
    });
  }

  /** Norm of all gradients of the step, before clipping. */
  get norm(): number {
    return this.#norm ?? normOf(this.gradients);
  }

  /** Begins the run, and fires TRAIN_BEGIN. */
  async begin(): Promise<void> {
    this.#host.state.status = "training";
    this.#open.run = true;
    this.#schedule();
    const { loop } = this.#host;
    loop.context.stepCount = loop.stepCount;
    await loop.fire(TrainingStage.TRAIN_BEGIN);
  }

  /**
   * Runs one step, which may have several batches, and counts it. Returns `false`, so that the loop does not count it
   * again.
   */
  async step(): Promise<false> {
    await this.between();
    const { state } = this.#host;
    if (!this.#open.epoch) await this.#beginEpoch();
    const { losses } = this.#epoch, { accumulate, clip } = this.#settings();
    const parts = Math.min(accumulate, losses.length - state.currentBatchIdx);
    this.gradients = new Map();
    this.#schedule();
    for (let part = 1; part <= parts; part++) {
      await this.#batch(parts);
      if (part === parts) await this.#update(clip);
      await this.#endBatch(DONE);
      state.currentBatchIdx++;
    }
    const isLast = state.currentBatchIdx === losses.length;
    if (isLast || this.wantsValidation) await this.#validate();
    if (isLast) await this.#endEpoch();
    return false;
  }

  /**
   * Records the checkpoints that hooks have requested, and fires CHECKPOINT_SAVE for each of them. Called between two
   * steps.
   */
  async between(): Promise<void> {
    const { loop, checkpoints } = this.#host;
    while (this.wanted.length > 0) {
      const path = this.wanted.shift()!;
      checkpoints.push(path);
      Object.assign(loop.context, { path, stepCount: loop.stepCount });
      await loop.fire(TrainingStage.CHECKPOINT_SAVE);
    }
  }

  /** Ends all open scopes, the run last. */
  async close(outcome: Outcome): Promise<void> {
    const { loop, state } = this.#host;
    if (this.#open.epoch) await this.#closeEpoch(outcome);
    if (!this.#open.run) return;
    this.#open.run = false;
    state.status = outcome.status === "failed" ? "error" : outcome.status;
    Object.assign(loop.context, { outcome, stepCount: loop.stepCount });
    await loop.fire(TrainingStage.TRAIN_END);
    if (outcome.status !== "failed") await this.between();
  }

  /** Handles an error of a step: fires EXCEPTION, and ends all open scopes with the error as their outcome. */
  async fail(error: unknown): Promise<undefined> {
    const { loop, state } = this.#host, outcome: Outcome = { status: "failed", error };
    loop.context.error = error;
    await loop.fire(TrainingStage.EXCEPTION);
    if (this.#open.validation) await this.#endValidation({}, outcome);
    if (this.#open.batch) await this.#endBatch(outcome);
    await this.close(outcome);
    loop.context.phase = "train";
    state.currentBatchIdx = 0;
  }

  get #epoch(): ScriptedEpoch {
    return this.#script.epochs[this.#host.state.currentEpoch]!;
  }

  /**
   * Returns the current settings. Settings of hooks have priority over the script, and those of later hooks over
   * earlier ones.
   */
  #settings(): { readonly accumulate: number; readonly clip: ClipSettings | undefined } {
    const asked = this.#host.loop.hooks.enabled().map((hook) =>
      (hook as { readonly settings?: TrainerSettings }).settings
    );
    const last = <K extends "accumulate" | "clip">(member: K) =>
      asked.findLast((each) => each?.[member] !== undefined)?.[member] ?? this.#script[member];
    return { accumulate: last("accumulate") ?? 1, clip: last("clip") };
  }

  #schedule(): void {
    const { loop, optimizers } = this.#host;
    const factor = this.#script.schedule?.factor(loop.stepCount) ?? 1;
    for (const { groups } of optimizers) for (const group of groups) group.factor = factor;
  }

  async #beginEpoch(): Promise<void> {
    const { loop, state } = this.#host;
    state.currentBatchIdx = 0;
    this.#losses = [];
    loop.context.epoch = state.currentEpoch;
    this.#open.epoch = true;
    await loop.fire(TrainingStage.EPOCH_BEGIN);
  }

  async #batch(parts: number): Promise<void> {
    const { loop, state } = this.#host, { context } = loop, at = state.currentBatchIdx;
    const batch = this.#script.batch?.(state.currentEpoch, at) ?? { feeds: {}, size: 1 };
    Object.assign(context, {
      phase: "train",
      batch,
      batchIdx: at,
      loaderIdx: 0,
      loaderName: "script",
      loss: NaN,
    });
    this.#open.batch = true;
    await loop.fire(TrainingStage.BATCH_BEGIN);
    await loop.fire(TrainingStage.BEFORE_FORWARD);
    await this.#pipeActivations();
    await loop.fire(TrainingStage.AFTER_FORWARD);
    loop.advance("forward");
    const loss = await this.#lossOf(at);
    this.#takeIn(loss, at);
    const next = await loop.pipe(TrainingStage.LOSS, loss);
    context.loss = state.latestLoss = next;
    await loop.fire(TrainingStage.AFTER_LOSS);
    await loop.fire(TrainingStage.BEFORE_BACKWARD);
    this.#norm = undefined;
    this.#addGradients(this.#epoch.gradients?.[at], (loss === 0 ? 1 : next / loss) / parts);
    await loop.fire(TrainingStage.AFTER_BACKWARD);
  }

  async #pipeActivations(): Promise<void> {
    const { loop } = this.#host;
    const given = new Map(Object.entries(this.#script.activations ?? {}));
    loop.context.outputs = await loop.pipe(TrainingStage.ACTIVATIONS, given);
  }

  async #lossOf(at: number): Promise<number> {
    const scripted = this.#epoch.losses[at]!;
    if (scripted instanceof Error) throw scripted;
    const { loss } = await this.#host.loop.replace<ComputedLoss>(
      TrainingStage.COMPUTE_LOSS,
      () => ({ loss: scripted, slopes: new Map() }),
    );
    return loss;
  }

  #takeIn(loss: number, at: number): void {
    const { loop: { context }, state } = this.#host;
    this.#losses.push(loss);
    state.avgLoss = meanOf(this.#losses);
    state.latestLoss = context.loss = loss;
    context.metrics = { loss, ...this.#epoch.metrics?.[at] };
  }

  /** Adds gradients of a batch, weighted by its share of the step. */
  #addGradients(given: NumbersByName | undefined, weight: number): void {
    const scripted = given ?? this.#script.gradients ?? {};
    for (const [name, value] of this.#host.values) {
      const sum = this.gradients.get(name) ?? new Float32Array(value.length);
      for (let i = 0; i < sum.length; i++) sum[i]! += weight * (scripted[name]?.[i] ?? 0);
      this.gradients.set(name, sum);
    }
  }

  async #update(clip: ClipSettings | undefined): Promise<void> {
    const { loop, optimizers, state } = this.#host, { context } = loop;
    const next = await loop.pipe(TrainingStage.GRADIENTS, this.gradients);
    this.gradients = new Map([...next].map(([name, slopes]) => [name, Float32Array.from(slopes)]));
    this.#norm = normOf(this.gradients);
    if (clip !== undefined) {
      clipAll(this.gradients, clip, this.#norm);
      await loop.fire(TrainingStage.GRADIENT_CLIP);
    }
    const goesOn = await loop.gate(TrainingStage.MAY_UPDATE), step = loop.stepCount;
    for (let i = 0; goesOn && i < optimizers.length; i++) await this.#optimizerStep(i);
    const { size, tokens = 0 } = context.batch!;
    state.samplesSeen += size;
    state.tokensSeen += tokens;
    Object.assign(context, {
      lr: optimizers[0]!.groups[0]!.lr,
      skipped: !goesOn,
      samplesSeen: state.samplesSeen,
      tokensSeen: state.tokensSeen,
    });
    if (goesOn) loop.advance("step");
    await loop.point(TrainingStage.STEP_END).fire(step);
  }

  async #optimizerStep(index: number): Promise<void> {
    const { loop, optimizers, values } = this.#host;
    loop.context.optimizerIdx = index;
    loop.context.parameters = new Map(values);
    await loop.fire(TrainingStage.BEFORE_OPTIMIZER_STEP);
    await loop.replace<void>(
      TrainingStage.OPTIMIZER_STEP,
      () => descend(optimizers[index]!, values, this.gradients),
    );
    await loop.fire(TrainingStage.AFTER_OPTIMIZER_STEP);
  }

  async #endBatch(outcome: Outcome): Promise<void> {
    const { loop } = this.#host;
    this.#open.batch = false;
    loop.context.outcome = outcome;
    if (outcome.status === "failed") loop.context.metrics = {};
    await loop.fire(TrainingStage.BATCH_END);
    loop.advance("batch");
  }

  /** Runs a validation of one batch, if the script has metrics for it. */
  async #validate(): Promise<void> {
    this.wantsValidation = false;
    const { loop, state } = this.#host, { context } = loop, metrics = this.#epoch.validation;
    if (metrics === undefined) return;
    context.phase = "validation";
    this.#open.validation = true;
    await loop.fire(TrainingStage.VALIDATION_BEGIN);
    const batch = { feeds: {}, size: 1 };
    Object.assign(context, { batch, batchIdx: 0, loss: NaN });
    await loop.fire(TrainingStage.VALIDATION_BATCH_BEGIN);
    await loop.fire(TrainingStage.BEFORE_FORWARD);
    await this.#pipeActivations();
    await loop.fire(TrainingStage.AFTER_FORWARD);
    loop.advance("forward");
    const ofBatch = renamed(metrics, "");
    Object.assign(context, { loss: ofBatch.loss ?? NaN, metrics: ofBatch, outcome: DONE });
    await loop.fire(TrainingStage.VALIDATION_BATCH_END);
    loop.advance("validationBatch");
    Object.assign(state.metrics, metrics);
    await this.#endValidation(metrics, DONE);
    context.metrics = { ...metrics, ...renamed(metrics, "eval/") };
    await loop.fire(TrainingStage.EVAL_END);
    loop.advance("validation");
    context.phase = "train";
  }

  async #endValidation(
    metrics: Readonly<Record<string, number>>,
    outcome: Outcome,
  ): Promise<void> {
    const { loop } = this.#host;
    this.#open.validation = false;
    Object.assign(loop.context, { metrics, outcome });
    await loop.fire(TrainingStage.VALIDATION_END);
  }

  async #endEpoch(): Promise<void> {
    const { loop, state } = this.#host;
    await this.#closeEpoch(DONE);
    // The validation belongs to this epoch, so run it before the counters advance.
    if (this.wantsValidation) await this.#validate();
    loop.advance("epoch");
    state.currentEpoch++;
    state.currentBatchIdx = 0;
    loop.context.epoch = state.currentEpoch;
    if (state.currentEpoch >= this.#script.epochs.length) loop.done();
  }

  async #closeEpoch(outcome: Outcome): Promise<void> {
    const { loop, state } = this.#host;
    this.#open.epoch = false;
    const isWhole = outcome.status === "completed";
    const metrics = { "train/loss": state.avgLoss, ...(isWhole && this.#epoch.validation) };
    Object.assign(state.metrics, metrics);
    Object.assign(loop.context, { outcome, metrics });
    await loop.fire(TrainingStage.EPOCH_END);
  }
}
