/**
 * One optimizer step: its batches, forward and back, and the update, with a stage at each place.
 *
 * @module
 */

import type { Loop } from "../../hooks/loop/loop.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import { isThenable } from "../../base/sequence.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import { tensorsToPipe } from "../model/activations.ts";
import { checkComputed, slopesOf } from "../model/computed_loss.ts";
import type { TrainingBatch } from "../context.ts";
import type { NamedBatch, NamedData } from "../data/named_data.ts";
import type { Measured } from "../graph/training_graph.ts";
import type { GradientTarget, Ran } from "../graph/runner.ts";
import { LAST_BATCH_STAGES, LOSS_STAGES, STAGES_WITH_LOSS, UPDATE_STAGES } from "./loss_stages.ts";
import { isObserved, type ObservedTensors } from "../state/observed_tensors.ts";
import type { OpenedModel } from "../model/opened_model.ts";
import type { AssignedOptimizer } from "../optimizers/assigned.ts";
import { arraysOf, checkPiped, writeArrays } from "../model/parameter_arrays.ts";
import type { Progress } from "./progress.ts";
import type { MergedSettings } from "./merged_settings.ts";
import { type ComputedLoss, TrainingStage } from "../stages.ts";
import { batchMetrics, countsOf, lossFrom, sharesOf, weightsAt } from "./metric_sums.ts";
import type { TrainingKind } from "../trainer_options.ts";

/** The context that hooks see, as the trainer fills it. */
export type FilledContext = Loop<TrainingKind>["context"];

/** What steps are done with. */
export interface StepHost {
  readonly loop: Loop<TrainingKind>;
  readonly context: FilledContext;
  readonly model: OpenedModel;
  readonly optimizers: readonly AssignedOptimizer[];
  /** The optimizer of each parameter. */
  readonly owners: readonly number[];
  readonly progress: Progress;
  readonly observed: ObservedTensors;
  readonly data: NamedData | undefined;
}

/** So many losses may be under way from a GPU before one is waited for. */
const UNDER_WAY = 16;

/** Does the steps of a trainer. */
export class TrainingSteps {
  readonly #host: StepHost;
  #measured: Measured | undefined;
  /** Parameters that hooks have left out of this step. */
  #dropped: ReadonlySet<string> = new Set();
  #norm: number | undefined;
  /** Has the norm of these gradients been asked for? What comes later is that of others. */
  #isNormAsked = false;
  readonly #late: PromiseLike<unknown>[] = [];
  /** What is yet to be known of the batch under way, where nobody has to know it at once. */
  #coming: Promise<Known> | undefined;
  /** The batch that has begun and not ended. */
  #open: TrainingBatch | undefined;
  /** Is it one by hand? Then its batches are of no epoch. */
  #isByHand = false;

  constructor(host: StepHost) {
    this.#host = host;
  }

  /** Graphs were built anew. */
  reset(): void {
    this.#measured = undefined;
    this.#host.observed.reset();
  }

  /** The norm of all gradients of this step before clipping; where it is not known it is found, in host memory. */
  get norm(): number {
    if (this.#norm !== undefined) return this.#norm;
    const { updates, arena } = this.#host.model;
    if (!arena.backend.isHost) {
      throw new TypeError(
        'Cannot read gradNorm as it must be declared where gradients are on a GPU, reads: ["gradNorm"]: it is not',
      );
    }
    updates.sumSquares((i) => this.#isUsed(i));
    return this.#norm = normOf(updates.squares() as ArrayLike<number>);
  }

  /** What of the context is yet to come at a stage. */
  coming(stage: string): Promise<Known> | undefined {
    return STAGES_WITH_LOSS.has(stage) ? this.#coming : undefined;
  }

  /** What the last batch has come to, when it is known. */
  get known(): Promise<Known> {
    const { progress: { latestLoss: loss }, context: { metrics = {} } } = this.#host;
    const gradNorm = this.#norm ?? NaN;
    if (this.#coming === undefined) return Promise.resolve({ loss, metrics, gradNorm });
    return this.#coming.then((known) => ({ gradNorm, ...known }));
  }

  /** A step over some batches, whose gradients count as those of one. */
  async step(
    parts: readonly NamedBatch[],
    settings: MergedSettings,
    { isByHand = false }: { readonly isByHand?: boolean } = {},
  ): Promise<void> {
    const { model, loop } = this.#host;
    this.#isByHand = isByHand;
    this.#dropped = new Set();
    this.schedule(loop.stepCount);
    const measured = this.#measured ??= await model.runner.measured();
    const weights = weightsAt(measured, loop.stepCount);
    const counts = parts.map(({ batch }) => countsOf(measured, batch));
    const shares = sharesOf(weights, counts);
    const samples = parts.reduce((sum, { batch: { size } }) => sum + size, 0);
    for (const [i, part] of parts.entries()) {
      const isLast = i === parts.length - 1;
      await this.#begin(part);
      const work: Work = {
        part,
        measured,
        weights,
        counts: counts[i]!,
        share: shares[i]!,
        isLast,
        step: loop.stepCount,
        ofSamples: part.batch.size / samples,
        into: i === 0 ? "gradients" : "more",
      };
      await this.#forwardBack(work, settings);
      if (isLast) await this.#update(settings, parts);
      await this.end({ status: "completed" });
    }
  }

  /** A step has thrown: what it began ends. */
  async fail(outcome: Outcome): Promise<void> {
    try {
      await this.end(outcome);
    } finally {
      await Promise.allSettled(this.#late.splice(0));
    }
  }

  /** Ends the batch under way. */
  async end(outcome: Outcome): Promise<void> {
    if (this.#open === undefined) return;
    if (outcome.status === "failed") this.#coming = undefined;
    const { loop, context, progress } = this.#host;
    this.#open = undefined;
    context.outcome = outcome;
    if (outcome.status === "failed") context.metrics = {};
    await loop.fire(TrainingStage.BATCH_END);
    loop.advance("batch");
    if (outcome.status === "completed" && !this.#isByHand) progress.currentBatchIdx++;
  }

  /** Waits for all losses that are under way. */
  async settle(): Promise<void> {
    while (this.#late.length > 0) await this.#late.shift();
  }

  /** The rates of this step, as schedules have them. */
  schedule(step: number): void {
    for (const { groups, schedule } of this.#host.optimizers) {
      const factor = schedule.factor(step), momentum = schedule.momentum?.(step);
      for (const group of groups) {
        group.factor = factor;
        if (momentum !== undefined) group.momentum = momentum;
      }
    }
  }

  /** What hooks look at that are due from now to the end of the batch, of tensors within the model. */
  observedFields(stages: readonly TrainingStage[]): string[] {
    const { loop } = this.#host;
    const fields = stages.flatMap((stage) => {
      if (!this.isDue(stage)) return [];
      const count = loop.countOf(loop.point(stage).info.counter);
      const isNext = stage === TrainingStage.AFTER_FORWARD;
      return [...loop.hooks.reads(stage, count, isNext)].filter(isObserved);
    });
    return [...new Set(fields)];
  }

  /** Is there a hook that may be called at this stage now? */
  isDue(stage: TrainingStage): boolean {
    const point = this.#host.loop.point(stage);
    if (point.isEmpty) return false;
    const count = this.#host.loop.countOf(point.info.counter);
    return point.info.isEvent || point.next(count) <= count;
  }

  async #begin({ batch, loaderIndex, loaderName }: NamedBatch): Promise<void> {
    const { loop, context, progress, observed } = this.#host;
    observed.forget();
    context.phase = "train";
    context.batch = batch;
    context.batchIdx = this.#isByHand ? loop.countOf("batch") : progress.currentBatchIdx;
    context.loaderIdx = loaderIndex;
    context.loaderName = loaderName;
    context.loss = NaN;
    this.#open = batch;
    await loop.fire(TrainingStage.BATCH_BEGIN);
  }

  async #forwardBack(work: Work, settings: MergedSettings): Promise<void> {
    const { loop, context, model } = this.#host, { batch } = work.part;
    await loop.fire(TrainingStage.BEFORE_FORWARD);
    const more = await this.changedActivations(batch, settings.points);
    const isReplaced = this.isDue(TrainingStage.COMPUTE_LOSS);
    const ran = isReplaced ? undefined : await this.#gradients(work, more);
    await this.#look(batch, more, work.isLast ? LAST_BATCH_STAGES : LOSS_STAGES);
    await loop.fire(TrainingStage.AFTER_FORWARD);
    loop.advance("forward");
    if (ran === undefined) await this.#ownLoss(work, more);
    else await this.#know(ran, work);
    const loss = context.loss!;
    const next = await loop.pipe(TrainingStage.LOSS, loss);
    if (!Object.is(next, loss)) this.#weigh(work, loss, next);
    await loop.fire(TrainingStage.AFTER_LOSS);
    await loop.fire(TrainingStage.BEFORE_BACKWARD);
    if (work.into === "more") model.updates.addMore();
    this.#forgetNorm();
    if (this.#asksForNorm(TrainingStage.AFTER_BACKWARD)) {
      if (this.#coming === undefined) await this.#fetchNorm();
      else this.#expectNorm(this.#coming);
    }
    await loop.fire(TrainingStage.AFTER_BACKWARD);
  }

  async #gradients(
    { part: { batch, loaderIndex }, share, into }: Work,
    more: Readonly<Record<string, HostFeed>>,
  ): Promise<Ran> {
    const { model: { runner }, data } = this.#host;
    const source = data?.loaders[loaderIndex]?.source;
    // A source that cannot split its batches has them done in one part.
    const whole = source === undefined || this.#isByHand ? undefined : inOnePart;
    const split = source?.split?.bind(source) ?? whole;
    return await runner.gradients(batch, share, into, more, ...(split ? [split] : []));
  }

  /** Tensors within the model that hooks which are due look at. */
  async #look(
    batch: TrainingBatch,
    more: Readonly<Record<string, HostFeed>>,
    stages: readonly TrainingStage[],
  ): Promise<void> {
    const fields = this.observedFields([TrainingStage.AFTER_FORWARD, ...stages]);
    if (fields.length === 0) return;
    const { model, observed } = this.#host;
    await observed.observe(model.runner, batch, fields, more);
  }

  /** What is fed for patches, and for what hooks have made of tensors within the model. */
  async changedActivations(
    batch: TrainingBatch,
    points: readonly string[],
    parameters: string = "parameters",
  ): Promise<Readonly<Record<string, HostFeed>>> {
    const { loop, model } = this.#host;
    if (points.length === 0) return model.patchFeeds;
    const { given, feedsOf } = await tensorsToPipe(model, batch, parameters);
    const isAsked = this.isDue(TrainingStage.ACTIVATIONS);
    const next = isAsked ? await loop.pipe(TrainingStage.ACTIVATIONS, given) : given;
    return { ...model.patchFeeds, ...feedsOf(next) };
  }

  /** Takes in what a run has come to: at once where somebody must know it, else when it comes. */
  async #know(ran: Ran, work: Work): Promise<void> {
    const { context } = this.#host;
    this.#coming = undefined;
    if (ran.means !== undefined) {
      Object.assign(context, this.#record(ran.means, work));
      return;
    }
    const stages = work.isLast ? LAST_BATCH_STAGES : LOSS_STAGES;
    if (stages.some((stage) => this.#decides(stage))) {
      await this.settle(); // in order
      Object.assign(context, this.#record(await ran.fetch(true), work));
      return;
    }
    const late = ran.fetch(false).then((means) => this.#record(means, work)) as Promise<Known>;
    late.then(undefined, () => {}); // thrown when its turn comes
    this.#late.push(late);
    this.#coming = late;
    if (this.#late.length > UNDER_WAY) await this.#late.shift();
  }

  /** Is a hook due at a stage that changes something, decides, or must not be late? */
  #decides(stage: TrainingStage): boolean {
    const { info: { role }, mustWait } = this.#host.loop.point(stage);
    return (role !== "observe" || mustWait) && this.isDue(stage);
  }

  #record(
    means: ArrayLike<number>,
    { part: { batch }, step, measured, weights, counts }: Work,
  ): Known {
    const { progress, loop } = this.#host;
    const loss = lossFrom(means, weights);
    progress.latestLoss = loss;
    const isOld = step < loop.stepCount; // it has come late
    progress.sums.add(measured, { means, counts, loss, size: batch.size, isOld });
    return { loss, metrics: batchMetrics(measured, means, loss) };
  }

  /** A loss of a hook's: forward, the hook, and back from the slopes that it gives. */
  async #ownLoss(
    work: Work,
    more: Readonly<Record<string, HostFeed>>,
  ): Promise<void> {
    const { loop, context, model, progress } = this.#host, { part: { batch }, into } = work;
    const outputs = context.outputs = await model.runner.forward(batch, more);
    const computed = await loop.replace<ComputedLoss | undefined>(
      TrainingStage.COMPUTE_LOSS,
      () => undefined,
    );
    // The hook has thought better of it.
    if (computed === undefined) return await this.#know(await this.#gradients(work, more), work);
    checkComputed(computed, outputs);
    await model.runner.slopes(batch, slopesOf(computed, outputs, work.ofSamples), into, more);
    this.#coming = undefined;
    context.loss = progress.latestLoss = computed.loss;
    context.metrics = { loss: computed.loss };
    progress.sums.add({ terms: [], metrics: [] }, {
      means: [],
      counts: [],
      loss: computed.loss,
      size: batch.size,
    });
  }

  /** Gradients go with the loss: what comes back of a pipe weighs it. */
  #weigh({ into, part: { batch: { size } } }: Work, loss: number, next: number): void {
    const { context, model, progress } = this.#host;
    if (typeof next !== "number" || Number.isNaN(loss) || (loss === 0 && next !== 0)) {
      throw new RangeError(
        `Cannot weigh the loss as what comes back must be a number, and as it was where it was 0 or NaN: current value is ${next} of ${loss}`,
      );
    }
    model.updates.scale(into, loss === next ? 1 : next / loss);
    context.loss = progress.latestLoss = next;
    context.metrics = { ...context.metrics, loss: next };
    progress.sums.weigh(next - loss, size);
  }

  async #update(settings: MergedSettings, parts: readonly NamedBatch[]): Promise<void> {
    const { loop, context, progress, model, optimizers } = this.#host;
    await this.#changedGradients();
    this.#forgetNorm();
    await this.#clip(settings);
    await this.#findNorm();
    const goesOn = await loop.gate(TrainingStage.MAY_UPDATE);
    for (let i = 0; goesOn && i < optimizers.length; i++) await this.#optimizerStep(i);
    if (goesOn && settings.ema !== undefined) model.updates.average(settings.ema.decay);
    for (const { batch: { size, tokens = 0 } } of parts) {
      progress.samplesSeen += size;
      progress.tokensSeen += tokens;
    }
    context.lr = optimizers[0]!.groups[0]!.lr;
    context.samplesSeen = progress.samplesSeen;
    context.tokensSeen = progress.tokensSeen;
    context.skipped = !goesOn;
    await loop.fire(TrainingStage.STEP_END);
  }

  async #optimizerStep(index: number): Promise<void> {
    const { loop, context, model, owners } = this.#host;
    context.optimizerIdx = index;
    await loop.fire(TrainingStage.BEFORE_OPTIMIZER_STEP);
    const isOwn = (i: number) => owners[i] === index && this.#isUsed(i);
    const own = this.isDue(TrainingStage.OPTIMIZER_STEP)
      ? context.parameters = await arraysOf(model.arena, "parameters", isOwn)
      : undefined;
    let isReplaced = true;
    await loop.replace(TrainingStage.OPTIMIZER_STEP, () => {
      isReplaced = false;
      model.updates.step(index, (i) => this.#isUsed(i));
    });
    if (isReplaced && own !== undefined) writeArrays(model.arena, "parameters", own);
    await loop.fire(TrainingStage.AFTER_OPTIMIZER_STEP);
  }

  /** What hooks have made of the gradients. */
  async #changedGradients(): Promise<void> {
    const { loop, model: { arena } } = this.#host;
    if (!this.isDue(TrainingStage.GRADIENTS)) return;
    const given = await arraysOf(arena, "gradients", () => true);
    const next = await loop.pipe(TrainingStage.GRADIENTS, given);
    checkPiped(given, next);
    this.#dropped = new Set([...given.keys()].filter((name) => !next.has(name)));
    writeArrays(arena, "gradients", next);
  }

  async #clip({ clip }: MergedSettings): Promise<void> {
    if (clip === undefined) return;
    const { loop, model: { updates } } = this.#host;
    await this.#findNorm(true);
    if (clip.norm !== undefined) {
      const isKnown = this.#norm !== undefined || this.#isNormAsked; // then the squares are there
      if (!isKnown) updates.sumSquares((i) => this.#isUsed(i));
      updates.clipNorm(clip.norm);
    }
    if (clip.value !== undefined) updates.clipValues(clip.value);
    await loop.fire(TrainingStage.GRADIENT_CLIP);
  }

  /** Gradients are others from now on. */
  #forgetNorm(): void {
    this.#norm = undefined;
    this.#isNormAsked = false;
  }

  /** The norm, where it must be fetched and somebody may ask for it. */
  async #findNorm(isClipping = false): Promise<void> {
    const { model: { arena } } = this.#host;
    if (this.#norm !== undefined || this.#isNormAsked) return;
    if (arena.backend.isHost) {
      if (isClipping) void this.norm; // before it is another
      return;
    }
    const isWanted = UPDATE_STAGES.some((stage) => this.isDue(stage)) ||
      this.#host.loop.hooks.reads().has("gradNorm");
    if (!isWanted) return;
    if (this.#coming === undefined) await this.#fetchNorm();
    else this.#expectNorm(this.#coming);
  }

  /** The norm comes with what is yet to come. */
  #expectNorm(coming: Promise<Known>): void {
    const { updates } = this.#host.model;
    this.#isNormAsked = true;
    updates.sumSquares((i) => this.#isUsed(i));
    const both = Promise.all([coming, updates.takeSquares()]);
    this.#coming = both.then(([known, squares]) => ({ ...known, gradNorm: normOf(squares) }));
    this.#coming.then(undefined, () => {}); // whoever waits is told
  }

  async #fetchNorm(): Promise<void> {
    const { updates } = this.#host.model;
    updates.sumSquares((i) => this.#isUsed(i));
    const squares = updates.squares();
    this.#norm = normOf(isThenable(squares) ? await squares : squares);
  }

  /** Is a hook due that has declared that it reads the norm, where that must be fetched? */
  #asksForNorm(stage: TrainingStage): boolean {
    const { loop, model: { arena } } = this.#host;
    return !arena.backend.isHost && this.isDue(stage) && loop.hooks.reads(stage).has("gradNorm");
  }

  #isUsed(index: number): boolean {
    return this.#dropped.size === 0 ||
      !this.#dropped.has(this.#host.model.arena.places[index]!.name);
  }
}

/** What a batch has come to. */
export interface Known {
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly gradNorm?: number;
}

/** A batch on its way. */
interface Work {
  readonly part: NamedBatch;
  /** The step that it is of. */
  readonly step: number;
  readonly measured: Measured;
  readonly weights: readonly number[];
  readonly counts: readonly number[];
  readonly share: Float64Array;
  readonly into: GradientTarget;
  readonly isLast: boolean;
  /** The part of the step's samples that this one has. */
  readonly ofSamples: number;
}

function inOnePart(batch: TrainingBatch): TrainingBatch[] {
  return [batch];
}

function normOf(squares: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < squares.length; i++) sum += squares[i]!;
  return Math.sqrt(sum);
}
