/**
 * Validation: a forward pass over every batch of the validation data.
 *
 * @module
 */

import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { DataSource } from "../data/data_source.ts";
import { splitOf } from "../data/split_batch.ts";
import { interleave } from "../data/interleave.ts";
import type { TrainingData } from "../trainer_options.ts";
import { TrainingStage } from "../stages.ts";
import { observedFields } from "./due_hooks.ts";
import type { StepHost } from "./step_host.ts";
import type { TrainingSteps } from "./training_step.ts";
import type { MergedSettings } from "./merged_settings.ts";
import { batchMetrics, countsOf, lossFrom, MetricSums, weightsAt } from "./metric_sums.ts";

/** Stages of a validation batch at which hooks may observe tensors of the model. */
const STAGES: readonly TrainingStage[] = [
  TrainingStage.AFTER_FORWARD,
  TrainingStage.VALIDATION_BATCH_END,
];

/** Runs validations. Each stage that begins a validation or a batch is followed by the stage that ends it. */
export class Validation {
  readonly #host: StepHost;
  readonly #steps: TrainingSteps;
  #isOpen = false;
  #isBatchOpen = false;

  constructor(host: StepHost, steps: TrainingSteps) {
    this.#host = host;
    this.#steps = steps;
  }

  /** Runs a validation outside of a run. If it fails, ends it and throws the error. */
  async runByHand(data: TrainingData, settings: MergedSettings): Promise<Record<string, number>> {
    try {
      return await this.run(data, settings);
    } catch (error) {
      await this.end({ status: "failed", error });
      throw error;
    }
  }

  /** Runs a validation over all batches of the data. Returns the metrics, such as `"val/loss"`. */
  async run(data: TrainingData, settings: MergedSettings): Promise<Record<string, number>> {
    const { loop, context, model, progress } = this.#host;
    const epoch = progress.currentEpoch, sums = new MetricSums();
    await this.#steps.results.settle();
    context.phase = "validation";
    this.#isOpen = true;
    await loop.fire(TrainingStage.VALIDATION_BEGIN);
    let index = 0;
    const named = interleave(data);
    for await (const { batch, loaderIndex, loaderName } of named.batches(epoch, 0)) {
      Object.assign(context, { batch, batchIdx: index++, loaderIdx: loaderIndex, loaderName });
      await this.#batch(sums, settings, splitOf(named.loaders[loaderIndex]?.source));
    }
    if (index === 0) {
      throw new RangeError("Cannot validate: the data must have at least one batch; got none");
    }
    const measured = await model.runner.measured();
    const metrics = sums.metrics(measured, "val/");
    Object.assign(progress.metrics, metrics);
    await this.end({ status: "completed" }, metrics);
    context.metrics = {
      ...metrics,
      ...Object.fromEntries(
        Object.entries(metrics).map(([name, value]) => [name.replace(/^val\//, "eval/"), value]),
      ),
    };
    await loop.fire(TrainingStage.EVAL_END);
    loop.advance("validation");
    context.phase = "train";
    return metrics;
  }

  /** Ends the validation and its current batch, if they have begun. */
  async end(outcome: Outcome, metrics: Readonly<Record<string, number>> = {}): Promise<void> {
    if (!this.#isOpen) return;
    const { loop, context } = this.#host;
    if (this.#isBatchOpen) await this.#endBatch(outcome);
    this.#isOpen = false;
    context.outcome = outcome;
    context.metrics = metrics;
    await loop.fire(TrainingStage.VALIDATION_END);
    if (outcome.status !== "completed") context.phase = "train";
  }

  async #batch(
    sums: MetricSums,
    { ema, points }: MergedSettings,
    split: NonNullable<DataSource["split"]>,
  ): Promise<void> {
    const { loop, context, model, observed } = this.#host, batch = context.batch!;
    observed.forget();
    context.loss = NaN;
    this.#isBatchOpen = true;
    await loop.fire(TrainingStage.VALIDATION_BATCH_BEGIN);
    await loop.fire(TrainingStage.BEFORE_FORWARD);
    const parameters = ema?.validate === true ? "ema" : "parameters";
    const more = await this.#steps.pipeActivations(batch, points, parameters);
    const ran = await model.runner.evaluate(batch, more, parameters, split);
    const fields = observedFields(loop, STAGES);
    if (fields.length > 0) await observed.observe(model.runner, batch, fields, more, parameters);
    await loop.fire(TrainingStage.AFTER_FORWARD);
    loop.advance("forward");
    const means = ran.means ?? await ran.fetch(true);
    const measured = await model.runner.measured();
    const loss = lossFrom(means, weightsAt(measured, loop.stepCount));
    sums.add(measured, { means, counts: countsOf(measured, batch), loss, size: batch.size });
    context.loss = loss;
    context.metrics = batchMetrics(measured, means, loss);
    await this.#endBatch({ status: "completed" });
  }

  async #endBatch(outcome: Outcome): Promise<void> {
    const { loop, context } = this.#host;
    this.#isBatchOpen = false;
    context.outcome = outcome;
    if (outcome.status === "failed") context.metrics = {};
    await loop.fire(TrainingStage.VALIDATION_BATCH_END);
    loop.advance("validationBatch");
  }
}
