/**
 * Epochs: their batches, the stages at their beginning and end, and their metrics.
 *
 * @module
 */

import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { NamedBatch } from "../data/named_data.ts";
import { reportToSchedules } from "../schedules/report_metrics.ts";
import { TrainingStage } from "../stages.ts";
import { EpochReader } from "./epoch_reader.ts";
import type { StepHost } from "./step_host.ts";

type Metrics = Readonly<Record<string, number>>;

/** Runs the epochs of a trainer, one after another. */
export class Epochs {
  readonly #name: string;
  readonly #host: StepHost;
  /** The current epoch. `hasEnded` is true if EPOCH_END was fired for it. */
  #epoch: { readonly reader: EpochReader; hasEnded: boolean } | undefined;

  /** Creates the epochs of the trainer called `name`. */
  constructor(name: string, host: StepHost) {
    this.#name = name;
    this.#host = host;
  }

  /** True if EPOCH_BEGIN was fired for an epoch, and EPOCH_END was not. */
  get isOpen(): boolean {
    return this.#epoch?.hasEnded === false;
  }

  /**
   * Returns the reader of the current epoch. If no epoch is in progress, begins one at the batch where the last run
   * stopped.
   */
  async reader(): Promise<EpochReader> {
    return this.#epoch?.reader ?? await this.#begin();
  }

  async #begin(): Promise<EpochReader> {
    const { progress, loop, data } = this.#host;
    const { currentEpoch: epoch, currentBatchIdx: from } = progress;
    const reader = new EpochReader(data!, epoch, from);
    if (await reader.isDone()) {
      await reader.close();
      throw new RangeError(
        `Cannot train ${this.#name}: epoch ${epoch} must have at least one batch; got ${
          from === 0 ? "none" : `none after batch ${from}`
        }`,
      );
    }
    if (from === 0) progress.sums.load({});
    loop.context.epoch = epoch;
    this.#epoch = { reader, hasEnded: false };
    await loop.fire(TrainingStage.EPOCH_BEGIN);
    return reader;
  }

  /** Takes the batches of the next step: `accumulate` batches, or fewer at the end of the epoch. */
  async take(accumulate: number): Promise<readonly NamedBatch[]> {
    return await (await this.reader()).take(accumulate);
  }

  /**
   * Ends an epoch whose batches are all done: reports its metrics to the schedules, and fires EPOCH_END. `validated`
   * has the metrics of its validation, if there was one.
   */
  async end(validated: Metrics | undefined): Promise<void> {
    const { progress, model, optimizers } = this.#host;
    const measured = await model.runner.measured();
    const metrics = { ...progress.sums.metrics(measured, "train/"), ...validated };
    Object.assign(progress.metrics, metrics);
    reportToSchedules(optimizers, metrics, validated === undefined ? "epoch" : "validatedEpoch");
    await this.#fireEnd({ status: "completed" }, metrics);
  }

  /** Counts an epoch that has ended. The next step begins a new epoch. */
  advance(): void {
    const { loop, progress } = this.#host;
    loop.advance("epoch");
    progress.countEpoch();
    loop.context.epoch = progress.currentEpoch;
    this.#epoch = undefined;
  }

  /** Fires EPOCH_END for an open epoch that ends early, because its run ends. */
  async cutShort(outcome: Outcome): Promise<void> {
    if (!this.isOpen) return;
    const { model, progress, loop } = this.#host;
    const measured = await model.runner.measured().catch(() => undefined);
    const metrics = measured === undefined ? {} : progress.sums.metrics(measured, "train/");
    // A run with a limited number of steps may be completed although its last epoch is not.
    const own: Outcome = outcome.status === "completed"
      ? { status: "stopped", reason: "all steps are done", step: loop.stepCount }
      : outcome;
    await this.#fireEnd(own, metrics);
  }

  async #fireEnd(outcome: Outcome, metrics: Metrics): Promise<void> {
    if (this.#epoch === undefined || this.#epoch.hasEnded) return;
    const { loop } = this.#host;
    this.#epoch.hasEnded = true;
    Object.assign(loop.context, { outcome, metrics });
    await loop.fire(TrainingStage.EPOCH_END);
  }

  /** Closes the reader. The next step begins the epoch again, at the batch that was next. */
  async drop(): Promise<void> {
    const reader = this.#epoch?.reader;
    this.#epoch = undefined;
    await reader?.close();
  }
}
