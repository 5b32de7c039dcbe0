/**
 * Loss and metrics of a batch. In host memory they are known at once; on a GPU they arrive later.
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

/** Maximum number of losses that are in flight from a GPU. Beyond it, the step waits for the oldest one. */
const MOST_IN_FLIGHT = 16;

/** Results of one batch. */
export interface BatchResult {
  /** The loss, which is the weighted sum of its terms. */
  readonly loss: number;
  /** The loss, its terms, and the metrics. */
  readonly metrics: Readonly<Record<string, number>>;
  /** The norm of the gradients, if it was requested. */
  readonly gradNorm?: number;
}

/** Results of the batches of a trainer: loss, metrics and gradient norm, which may arrive late from a GPU. */
export class BatchResults {
  readonly #host: StepHost;
  readonly #norm: GradientNorm;
  /** True after the warning of a loss that is not finite. It is given only once. */
  #hasWarned = false;
  /** Losses in flight, in the order of their batches. */
  readonly #late: PromiseLike<unknown>[] = [];
  /** The results of the current batch if they are pending. Observers receive them when they arrive. */
  #pending: Promise<BatchResult> | undefined;

  constructor(host: StepHost, norm: GradientNorm) {
    this.#host = host;
    this.#norm = norm;
  }

  /**
   * Returns the pending results that hooks at a stage need; undefined if the stage needs no results or they are
   * known.
   */
  coming(stage: string): Promise<BatchResult> | undefined {
    return STAGES_WITH_LOSS.has(stage) ? this.#pending : undefined;
  }

  /** The results of the last batch. Resolves when they are known. */
  get known(): Promise<BatchResult> {
    const { progress: { latestLoss: loss }, context: { metrics = {} } } = this.#host;
    const gradNorm = this.#norm.ifKnown;
    if (this.#pending === undefined) return Promise.resolve({ loss, metrics, gradNorm });
    return this.#pending.then((known) => ({ gradNorm, ...known }));
  }

  /** Records the results of a run of the graph. If a hook needs them at once, waits until they arrive. */
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
    late.catch(() => {}); // errors are thrown where the promise is awaited
    this.#late.push(late);
    this.#pending = late;
    if (this.#late.length > MOST_IN_FLIGHT) await this.#late.shift();
  }

  /** Records the loss that a hook has computed. */
  takeComputed({ loss }: ComputedLoss, work: BatchWork): void {
    const { context, progress } = this.#host, { part: { batch: { size } } } = work;
    this.#pending = undefined;
    context.loss = progress.latestLoss = loss;
    if (!Number.isFinite(loss)) this.#warn(work);
    context.metrics = { loss };
    progress.sums.add({ terms: [], metrics: [] }, { means: [], counts: [], loss, size });
  }

  /**
   * Replaces a loss by the value `next` that a pipe has returned, and returns the factor by which the gradients must
   * be scaled. Throws a RangeError if `next` is not a number, or replaces a loss of 0 or NaN. `size` is the number of
   * samples.
   */
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

  /**
   * Adds the norm of the gradients to the results. If results are pending, the norm arrives with them; otherwise this
   * waits for it.
   */
  async addNorm(): Promise<void> {
    if (this.#pending === undefined) return await this.#norm.fetch();
    const both = Promise.all([this.#pending, this.#norm.fetchLate()]);
    this.#pending = both.then(([known, gradNorm]) => ({ ...known, gradNorm }));
    this.#pending.catch(() => {}); // errors are thrown where the promise is awaited
  }

  /** Waits for all losses in flight. Throws the first error among them. */
  async settle(): Promise<void> {
    while (this.#late.length > 0) await this.#late.shift();
  }

  /** Forgets the pending results of a batch that has failed. */
  forget(): void {
    this.#pending = undefined;
  }

  /** Waits until all losses in flight have arrived or failed, and ignores their errors, because the run has failed. */
  async drop(): Promise<void> {
    await Promise.allSettled(this.#late.splice(0));
  }

  /**
   * Warns of the first loss that is not finite. The run continues, because a hook may veto the step or repair the
   * parameters.
   */
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
    const isOld = begun < progress.sums.marks; // the result arrived after its step
    progress.sums.add(measured, { means, counts, loss, size: batch.size, isOld });
    return { loss, metrics: batchMetrics(measured, means, loss) };
  }
}
