/**
 * Loss and metrics of a batch: known at once in host memory, later on a GPU.
 *
 * @module
 */

import { NotFiniteError, notFiniteIn } from "../not_finite_error.ts";
import type { Ran } from "../graph/runner.ts";
import type { ComputedLoss } from "../stages.ts";
import { mustWaitAt } from "./due_hooks.ts";
import type { GradientNorm } from "./gradient_norm.ts";
import { LAST_BATCH_STAGES, LOSS_STAGES, STAGES_WITH_LOSS } from "./loss_stages.ts";
import { batchMetrics, lossFrom } from "./metric_sums.ts";
import type { BatchWork, StepHost } from "./step_host.ts";

/** The number of losses that may be in flight from a GPU before one is awaited. */
const MOST_IN_FLIGHT = 16;

/** Results of one batch. */
export interface BatchResult {
  /** The loss. */
  readonly loss: number;
  /** The loss, its terms, and the metrics. */
  readonly metrics: Readonly<Record<string, number>>;
  /** The norm of the gradients, if it was requested. */
  readonly gradNorm?: number;
}

/** The results of the batches of a trainer. */
export class BatchResults {
  readonly #host: StepHost;
  readonly #norm: GradientNorm;
  /** True once a loss was not finite: the warning is given once. */
  #hasWarned = false;
  /** Losses in flight, in order. */
  readonly #late: PromiseLike<unknown>[] = [];
  /** The results of the current batch if they are pending: observers get them when they arrive. */
  #pending: Promise<BatchResult> | undefined;

  constructor(host: StepHost, norm: GradientNorm) {
    this.#host = host;
    this.#norm = norm;
  }

  /** Returns the fields of the context that are pending at a stage. */
  coming(stage: string): Promise<BatchResult> | undefined {
    return STAGES_WITH_LOSS.has(stage) ? this.#pending : undefined;
  }

  /** The results of the last batch, once they are known. */
  get known(): Promise<BatchResult> {
    const { progress: { latestLoss: loss }, context: { metrics = {} } } = this.#host;
    const gradNorm = this.#norm.ifKnown;
    if (this.#pending === undefined) return Promise.resolve({ loss, metrics, gradNorm });
    return this.#pending.then((known) => ({ gradNorm, ...known }));
  }

  /** Takes the results of a run of the graph: waits for them if a hook needs them at once. */
  async take(ran: Ran, work: BatchWork): Promise<void> {
    const { context, loop } = this.#host;
    this.#pending = undefined;
    if (ran.means !== undefined) return void Object.assign(context, this.#record(ran.means, work));
    const stages = work.isLast ? LAST_BATCH_STAGES : LOSS_STAGES;
    if (stages.some((stage) => mustWaitAt(loop, stage))) {
      await this.settle(); // results are recorded in order
      return void Object.assign(context, this.#record(await ran.fetch(true), work));
    }
    const late = Promise.resolve(ran.fetch(false)).then((means) => this.#record(means, work));
    late.catch(() => {}); // thrown where it is awaited
    this.#late.push(late);
    this.#pending = late;
    if (this.#late.length > MOST_IN_FLIGHT) await this.#late.shift();
  }

  /** Takes the loss that a hook has computed. */
  takeComputed({ loss }: ComputedLoss, work: BatchWork): void {
    const { context, progress } = this.#host, { part: { batch: { size } } } = work;
    this.#pending = undefined;
    context.loss = progress.latestLoss = loss;
    if (!Number.isFinite(loss)) this.#warn(work);
    context.metrics = { loss };
    progress.sums.add({ terms: [], metrics: [] }, { means: [], counts: [], loss, size });
  }

  /** Replaces the loss by the one that a pipe has returned. Returns the factor for the gradients. */
  weigh(loss: number, next: number, size: number): number {
    if (typeof next !== "number" || Number.isNaN(loss) || (loss === 0 && next !== 0)) {
      throw new RangeError(
        `Cannot weight the loss: the hook must return a number, and a loss of 0 or NaN unchanged; got ${next} for ${loss}`,
      );
    }
    const { context, progress } = this.#host;
    context.loss = progress.latestLoss = next;
    context.metrics = { ...context.metrics, loss: next };
    progress.sums.weigh(next - loss, size);
    return loss === next ? 1 : next / loss;
  }

  /** Gets the norm of the gradients: with the pending results if there are some, else at once. */
  async addNorm(): Promise<void> {
    if (this.#pending === undefined) return await this.#norm.fetch();
    const both = Promise.all([this.#pending, this.#norm.fetchLate()]);
    this.#pending = both.then(([known, gradNorm]) => ({ ...known, gradNorm }));
    this.#pending.catch(() => {}); // thrown where it is awaited
  }

  /** Waits for all losses in flight. */
  async settle(): Promise<void> {
    while (this.#late.length > 0) await this.#late.shift();
  }

  /** Forgets the pending results, because their batch has failed. */
  forget(): void {
    this.#pending = undefined;
  }

  /** Waits for all losses in flight, whether they arrive or fail, because the run has failed. */
  async drop(): Promise<void> {
    await Promise.allSettled(this.#late.splice(0));
  }

  /** Warns of the first loss that is not finite. The run goes on: a hook may veto the step, or mend the parameters. */
  #warn({ part: { batch }, step }: BatchWork): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { loop, context: { batchIdx = 0 }, progress } = this.#host;
    const tensors = [{ tensor: "loss", count: 1 }, ...notFiniteIn(batch)];
    const place = { epoch: progress.currentEpoch, batch: batchIdx, step, tensors };
    loop.warnings.warn("loss", "AFTER_LOSS", new NotFiniteError(loop.name, place));
  }

  #record(means: ArrayLike<number>, work: BatchWork): BatchResult {
    const { part: { batch }, begun, measured, weights, counts } = work;
    const { progress } = this.#host;
    const loss = lossFrom(means, weights);
    progress.latestLoss = loss;
    if (!Number.isFinite(loss)) this.#warn(work);
    const isOld = begun < progress.sums.marks; // it has arrived after its step
    progress.sums.add(measured, { means, counts, loss, size: batch.size, isOld });
    return { loss, metrics: batchMetrics(measured, means, loss) };
  }
}
