/**
 * One optimizer step: the forward and backward passes of its batches, then the update. Each pass fires its stages.
 *
 * @module
 */

import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import type { TrainingBatch } from "../context.ts";
import { splitBatch, splitOf } from "../data/split_batch.ts";
import type { NamedBatch } from "../data/named_data.ts";
import type { Ran } from "../graph/runner.ts";
import type { Measured } from "../graph/training_graph.ts";
import { tensorsToPipe } from "../model/activations.ts";
import { checkComputed, slopesOf } from "../model/computed_loss.ts";
import { type ComputedLoss, TrainingStage } from "../stages.ts";
import { BatchResults } from "./batch_results.ts";
import { isDue, observedFields } from "./due_hooks.ts";
import { GradientNorm } from "./gradient_norm.ts";
import { LAST_BATCH_STAGES, LOSS_STAGES } from "./loss_stages.ts";
import type { MergedSettings } from "./merged_settings.ts";
import { countsOf, sharesOf, weightsAt } from "./metric_sums.ts";
import { ParameterUpdate } from "./parameter_update.ts";
import type { BatchWork, StepHost } from "./step_host.ts";

/** Feeds of a graph in addition to the batch, by the name of the input. */
type MoreFeeds = Readonly<Record<string, HostFeed>>;

/** Runs the steps of a trainer. */
export class TrainingSteps {
  /** Loss and metrics of the batches. */
  readonly results: BatchResults;
  /** The norm of the gradients. */
  readonly norm: GradientNorm;
  readonly #host: StepHost;
  readonly #update: ParameterUpdate;
  /** The terms and metrics that the current graphs measure; undefined until they are built. */
  #measured: Measured | undefined;
  /** The batch that has begun and not ended, if there is one. */
  #open: { readonly isByHand: boolean } | undefined;

  constructor(host: StepHost) {
    this.#host = host;
    this.norm = new GradientNorm(host.model, (i) => this.#update.isUsed(i));
    this.results = new BatchResults(host, this.norm);
    this.#update = new ParameterUpdate(host, this.norm, this.results);
  }

  /** Discards the terms, metrics and tensor names of the old graphs, because the graphs were rebuilt. */
  reset(): void {
    this.#measured = undefined;
    this.#host.observed.reset();
  }

  /** Runs a step over one or more batches. Their gradients are combined as if they were one batch. */
  async step(
    parts: readonly NamedBatch[],
    settings: MergedSettings,
    { isByHand = false }: { readonly isByHand?: boolean } = {},
  ): Promise<void> {
    this.#update.begin();
    this.schedule(this.#host.loop.stepCount);
    for (const work of await this.#plan(parts, isByHand)) {
      await this.#begin(work);
      await this.#forward(work, settings);
      await this.#backward(work);
      if (work.isLast) await this.#update.run(settings, parts);
      await this.end({ status: "completed" });
    }
  }

  /** Sets the learning rates and momenta that the schedules give for a step. */
  schedule(step: number): void {
    for (const { groups, schedule } of this.#host.optimizers) {
      const factor = schedule.factor(step), momentum = schedule.momentum?.(step);
      for (const group of groups) {
        group.factor = factor;
        if (momentum !== undefined) group.momentum = momentum;
      }
    }
  }

  /** Fires BATCH_END for the current batch, if there is one, and counts the batch. */
  async end(outcome: Outcome): Promise<void> {
    if (this.#open === undefined) return;
    const { loop, context, progress } = this.#host, { isByHand } = this.#open;
    this.#open = undefined;
    context.outcome = outcome;
    if (outcome.status === "failed") {
      this.results.forget();
      context.metrics = {};
    }
    await loop.fire(TrainingStage.BATCH_END);
    loop.advance("batch");
    if (outcome.status === "completed" && !isByHand) progress.countBatch();
  }

  /** Ends the current batch after a failed step, and drops the losses in flight. */
  async fail(outcome: Outcome): Promise<void> {
    try {
      await this.end(outcome);
    } finally {
      await this.results.drop();
    }
  }

  /**
   * Passes the tensors named by `points` to the pipe ACTIVATIONS. Returns the feeds of the changed tensors and of
   * patches.
   */
  async pipeActivations(
    batch: TrainingBatch,
    points: readonly string[],
    parameters: string = "parameters",
  ): Promise<MoreFeeds> {
    const { loop, model } = this.#host;
    if (points.length === 0) return model.patchFeeds;
    const { given, feedsOf } = await tensorsToPipe(model, batch, parameters);
    const next = isDue(loop, TrainingStage.ACTIVATIONS)
      ? await loop.pipe(TrainingStage.ACTIVATIONS, given)
      : given;
    return { ...model.patchFeeds, ...feedsOf(next) };
  }

  /**
   * Returns the work for each batch of a step: its weights, counts, and share of the gradients. All shares together
   * combine the batches as if they were one.
   */
  async #plan(parts: readonly NamedBatch[], isByHand: boolean): Promise<BatchWork[]> {
    const { model, loop: { stepCount: step }, progress: { sums: { marks: begun } } } = this.#host;
    const measured = this.#measured ??= await model.runner.measured();
    const weights = weightsAt(measured, step);
    const counts = parts.map(({ batch }) => countsOf(measured, batch));
    const shares = sharesOf(weights, counts);
    const samples = parts.reduce((sum, { batch: { size } }) => sum + size, 0);
    return parts.map((part, i) => ({
      part,
      measured,
      weights,
      counts: counts[i]!,
      share: shares[i]!,
      isLast: i === parts.length - 1,
      step,
      begun,
      ofSamples: part.batch.size / samples,
      into: i === 0 ? "gradients" : "more",
      isByHand,
    }));
  }

  async #begin({ part: { batch, loaderIndex, loaderName }, isByHand }: BatchWork): Promise<void> {
    const { loop, context, progress, observed } = this.#host;
    observed.forget();
    context.phase = "train";
    context.batch = batch;
    context.batchIdx = isByHand ? loop.countOf("batch") : progress.currentBatchIdx;
    context.loaderIdx = loaderIndex;
    context.loaderName = loaderName;
    context.loss = NaN;
    this.#open = { isByHand };
    await loop.fire(TrainingStage.BATCH_BEGIN);
  }

  /**
   * Runs the graph of loss and gradients, then passes the loss to the pipe LOSS. The gradients are known already,
   * because one graph computes both.
   */
  async #forward(work: BatchWork, settings: MergedSettings): Promise<void> {
    const { loop, context, model } = this.#host, { batch } = work.part;
    await loop.fire(TrainingStage.BEFORE_FORWARD);
    const more = await this.pipeActivations(batch, settings.points);
    const isReplaced = isDue(loop, TrainingStage.COMPUTE_LOSS);
    const ran = isReplaced ? undefined : await this.#gradients(work, more);
    await this.#observe(work, more);
    await loop.fire(TrainingStage.AFTER_FORWARD);
    loop.advance("forward");
    if (ran === undefined) await this.#computeLoss(work, more);
    else await this.results.take(ran, work);
    const loss = context.loss!;
    const next = await loop.pipe(TrainingStage.LOSS, loss);
    if (!Object.is(next, loss)) {
      model.updates.scale(work.into, this.results.weigh(loss, next, batch.size));
    }
    await loop.fire(TrainingStage.AFTER_LOSS);
  }

  /** Adds the gradients of the batch to those of the step. */
  async #backward({ into }: BatchWork): Promise<void> {
    const { loop, model } = this.#host;
    await loop.fire(TrainingStage.BEFORE_BACKWARD);
    if (into === "more") model.updates.addMore();
    this.norm.forget();
    if (this.#readsNorm(TrainingStage.AFTER_BACKWARD)) await this.results.addNorm();
    await loop.fire(TrainingStage.AFTER_BACKWARD);
  }

  async #gradients(
    { part: { batch, loaderIndex }, share, into, isByHand }: BatchWork,
    more: MoreFeeds,
  ): Promise<Ran> {
    const { model: { runner }, data } = this.#host;
    const source = data?.loaders[loaderIndex]?.source;
    const split = source === undefined || isByHand && source.split === undefined
      ? splitBatch
      : splitOf(source);
    return await runner.gradients(batch, share, into, more, split);
  }

  /** Computes the tensors within the model that the hooks due in this batch read. */
  async #observe({ part: { batch }, isLast }: BatchWork, more: MoreFeeds): Promise<void> {
    const { loop, model, observed } = this.#host;
    const stages = isLast ? LAST_BATCH_STAGES : LOSS_STAGES;
    const fields = observedFields(loop, [TrainingStage.AFTER_FORWARD, ...stages]);
    if (fields.length > 0) await observed.observe(model.runner, batch, fields, more);
  }

  /**
   * Lets a hook compute the loss from the outputs of the model, then computes the gradients from the derivatives that
   * the hook returns.
   */
  async #computeLoss(work: BatchWork, more: MoreFeeds): Promise<void> {
    const { loop, context, model } = this.#host, { part: { batch }, into, ofSamples } = work;
    const outputs = context.outputs = await model.runner.forward(batch, more);
    const computed = await loop.replace<ComputedLoss | undefined>(
      TrainingStage.COMPUTE_LOSS,
      () => undefined,
    );
    if (computed === undefined) { // the hook has declined
      return await this.results.take(await this.#gradients(work, more), work);
    }
    checkComputed(computed, outputs);
    await model.runner.slopes(batch, slopesOf(computed, outputs, ofSamples), into, more);
    this.results.takeComputed(computed, work);
  }

  /** Returns whether a hook that is due at a stage reads the norm, and the norm must be fetched from a GPU. */
  #readsNorm(stage: TrainingStage): boolean {
    const { loop, model: { arena } } = this.#host;
    return !arena.backend.isHost && isDue(loop, stage) && loop.hooks.reads(stage).has("gradNorm");
  }
}
