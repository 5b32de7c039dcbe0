/**
 * Progress of a trainer: its counters, loss and metrics.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { OptimizerView, TrainerState, TrainerStatus } from "../context.ts";
import { copied } from "../state/field_source.ts";
import { MetricSums } from "./metric_sums.ts";

/** Progress of a trainer in a checkpoint. */
export interface SavedProgress {
  /** The number of finished epochs. */
  readonly epoch: number;
  /** The number of finished batches of the current epoch. */
  readonly batchIdx: number;
  /** The number of samples seen, over all epochs. */
  readonly samplesSeen: number;
  /** The number of tokens seen, over all epochs; 0 if batches do not report their `tokens`. */
  readonly tokensSeen: number;
  /** The loss of the last batch. */
  readonly latestLoss: number;
  /** The latest value of each metric, by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Sum and count of the loss and of each metric over the batches of the current epoch. */
  readonly sums: Readonly<Record<string, readonly number[]>>;
}

/** The members of `TrainerState` that come from the trainer, and not from its progress. */
export interface ProgressHost {
  readonly model: string;
  readonly optimizer: readonly OptimizerView[];
  readonly device: string;
  readonly modelParams: number;
  readonly step: number;
}

/** Counters that are restored if a step fails. */
interface Counts {
  readonly batchIdx: number;
  readonly samples: number;
  readonly tokens: number;
}

const NONE: Counts = { batchIdx: 0, samples: 0, tokens: 0 };

/** The live state of a trainer. */
export class Progress implements TrainerState {
  currentEpoch = 0;
  latestLoss: number = NaN;
  status: TrainerStatus = "idle";
  readonly metrics: Record<string, number> = {};
  /** Sums of loss and metrics over the batches of the current epoch. */
  readonly sums: MetricSums = new MetricSums();
  readonly #host: ProgressHost;
  #counts = NONE;
  #marked = NONE;

  constructor(host: ProgressHost) {
    this.#host = host;
  }

  get model(): string {
    return this.#host.model;
  }

  get optimizer(): readonly OptimizerView[] {
    return this.#host.optimizer;
  }

  get device(): string {
    return this.#host.device;
  }

  get modelParams(): number {
    return this.#host.modelParams;
  }

  get step(): number {
    return this.#host.step;
  }

  get avgLoss(): number {
    return this.sums.loss;
  }

  get currentBatchIdx(): number {
    return this.#counts.batchIdx;
  }

  get samplesSeen(): number {
    return this.#counts.samples;
  }

  get tokensSeen(): number {
    return this.#counts.tokens;
  }

  /** Returns the state as plain data. `JSON.stringify` and `console.log` show it. */
  toJSON(): TrainerState {
    const { model, optimizer, device, currentEpoch, currentBatchIdx, latestLoss, avgLoss } = this;
    const { modelParams, status, step, samplesSeen, tokensSeen, metrics } = this;
    return {
      model,
      optimizer: copied(optimizer),
      device,
      currentEpoch,
      currentBatchIdx,
      latestLoss,
      avgLoss,
      modelParams,
      status,
      step,
      samplesSeen,
      tokensSeen,
      metrics: { ...metrics },
    };
  }

  /** Counts a batch of the current epoch. */
  countBatch(): void {
    this.#counts = { ...this.#counts, batchIdx: this.#counts.batchIdx + 1 };
  }

  /** Counts the samples and tokens of a batch. */
  countSamples(samples: number, tokens: number): void {
    const { batchIdx, samples: before, tokens: tokensBefore } = this.#counts;
    this.#counts = { batchIdx, samples: before + samples, tokens: tokensBefore + tokens };
  }

  /** Counts a finished epoch. The next epoch begins at its first batch. */
  countEpoch(): void {
    this.currentEpoch++;
    this.#counts = { ...this.#counts, batchIdx: 0 };
  }

  /** Saves the counters and sums at the beginning of a step. */
  mark(): void {
    this.#marked = this.#counts;
    this.sums.mark();
  }

  /** Restores the counters and sums of the last `mark`, because the step has failed. Its batches will be repeated. */
  back(): void {
    this.#counts = this.#marked;
    this.sums.back();
  }

  /** Returns the progress for a checkpoint. */
  save(): SavedProgress {
    const { currentEpoch: epoch, currentBatchIdx: batchIdx, samplesSeen, tokensSeen } = this;
    return {
      epoch,
      batchIdx,
      samplesSeen,
      tokensSeen,
      latestLoss: this.latestLoss,
      metrics: { ...this.metrics },
      sums: this.sums.save(),
    };
  }

  /** Restores saved progress. */
  load(saved: SavedProgress): void {
    this.currentEpoch = saved.epoch;
    this.#counts = {
      batchIdx: saved.batchIdx,
      samples: saved.samplesSeen,
      tokens: saved.tokensSeen,
    };
    this.latestLoss = saved.latestLoss;
    for (const name of Object.keys(this.metrics)) delete this.metrics[name];
    Object.assign(this.metrics, saved.metrics);
    this.sums.load(saved.sums);
  }
}

Object.defineProperty(Progress.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: Progress): TrainerState {
    return this.toJSON();
  },
});

/** Throws a TypeError unless `saved` has the form that `save` returns. */
export function assertSavedProgress(
  action: string,
  saved: unknown,
): asserts saved is SavedProgress {
  const isSaved = isObject(saved) && isObject(saved.metrics) && isObject(saved.sums) &&
    ["epoch", "batchIdx", "samplesSeen", "tokensSeen", "latestLoss"].every((member) =>
      typeof saved[member] === "number"
    );
  if (!isSaved) {
    throw new TypeError(complaint(action, "its progress must be a result of save()", saved));
  }
}
