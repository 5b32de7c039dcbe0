/**
 * One optimizer step: its batches, forward and back, and the update, with a stage at each place.
 *
 * @module
 */

import type { Loop } from "../hooks/loop.ts";
import type { Outcome } from "../hooks/outcome.ts";
import { isThenable } from "../hooks/thenable.ts";
import type { HostFeed } from "../onnx/session_tensor.ts";
import { tensorsToPipe } from "./activations.ts";
import type { TrainingBatch } from "./context.ts";
import type { NamedBatch, NamedData } from "./data/named_data.ts";
import type { Measured } from "./graph/training_graph.ts";
import type { GradientTarget, Ran } from "./graph/runner.ts";
import { isObserved, type Observed } from "./observed.ts";
import type { OpenedModel } from "./opened_model.ts";
import type { AssignedOptimizer } from "./optimizers/assigned.ts";
import type { Progress } from "./progress.ts";
import type { MergedSettings } from "./settings.ts";
import { type ComputedLoss, TrainingStage } from "./stages.ts";
import { batchMetrics, countsOf, lossFrom, sharesOf, weightsAt } from "./tally.ts";
import type { TrainingKind } from "./trainer_options.ts";

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
  readonly observed: Observed;
  readonly data: NamedData | undefined;
}

/** Stages at which the loss of a batch must be known, if anybody is there. */
const OF_LOSS: readonly TrainingStage[] = [
  TrainingStage.LOSS,
  TrainingStage.AFTER_LOSS,
  TrainingStage.BEFORE_BACKWARD,
  TrainingStage.AFTER_BACKWARD,
  TrainingStage.BATCH_END,
];
/** The same for the last batch of a step. */
const OF_STEP: readonly TrainingStage[] = [
  TrainingStage.GRADIENTS,
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.MAY_UPDATE,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
];
/** So many losses may be under way from a GPU before one is waited for. */
const UNDER_WAY = 16;

/** Does the steps of a trainer. */
export class TrainingSteps {
  readonly #host: StepHost;
  #measured: Measured | undefined;
  /** Parameters that hooks have left out of this step. */
  #dropped: ReadonlySet<string> = new Set();
  #norm: number | undefined;
  readonly #late: PromiseLike<void>[] = [];
  /** The batch that has begun and not ended. */
  #open: TrainingBatch | undefined;

  constructor(host: StepHost) {
    this.#host = host;
  }

  /** Graphs were built anew. */
  reset(): void {
    this.#measured = undefined;
    this.#host.observed.reset();
  }

  /** The batch under way. */
  get openBatch(): TrainingBatch | undefined {
    return this.#open;
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

  /** A step over some batches, whose gradients count as those of one. */
  async step(parts: readonly NamedBatch[], settings: MergedSettings): Promise<void> {
    const { model, loop } = this.#host;
    this.#norm = undefined;
    this.#dropped = new Set();
    const measured = this.#measured ??= await model.runner.measured();
    const weights = weightsAt(measured, loop.stepCount);
    const counts = parts.map(({ batch }) => countsOf(measured, batch));
    const shares = sharesOf(weights, counts);
    for (const [i, part] of parts.entries()) {
      const isLast = i === parts.length - 1;
      await this.#begin(part);
      const into = i === 0 ? "gradients" : "more";
      const work = { part, measured, weights, counts: counts[i]!, share: shares[i]!, into, isLast };
      await this.#forwardBack(work as Work, settings);
      if (isLast) await this.#update(settings, parts);
      await this.end({ status: "completed" });
    }
  }

  /** Ends the batch under way. */
  async end(outcome: Outcome): Promise<void> {
    if (this.#open === undefined) return;
    const { loop, context, progress } = this.#host;
    this.#open = undefined;
    context.outcome = outcome;
    if (outcome.status === "failed") context.metrics = {};
    await loop.fire(TrainingStage.BATCH_END);
    loop.advance("batch");
    if (outcome.status === "completed") progress.currentBatchIdx++;
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
      return [...loop.hooks.reads(stage)].filter(isObserved);
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
    context.batchIdx = progress.currentBatchIdx;
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
    await this.#look(batch, more, work.isLast ? [...OF_LOSS, ...OF_STEP] : OF_LOSS);
    await loop.fire(TrainingStage.AFTER_FORWARD);
    loop.advance("forward");
    if (ran === undefined) await this.#ownLoss(work, more);
    else await this.#know(ran, work);
    const loss = context.loss!;
    const next = await loop.pipe(TrainingStage.LOSS, loss);
    if (next !== loss) this.#weigh(work.into, loss, next);
    await loop.fire(TrainingStage.AFTER_LOSS);
    await loop.fire(TrainingStage.BEFORE_BACKWARD);
    if (work.into === "more") model.updates.addMore();
    await loop.fire(TrainingStage.AFTER_BACKWARD);
  }

  async #gradients(
    { part: { batch, loaderIndex }, share, into }: Work,
    more: Readonly<Record<string, HostFeed>>,
  ): Promise<Ran> {
    const { model: { runner }, data } = this.#host;
    const source = data?.loaders[loaderIndex]?.source;
    const split = source?.split?.bind(source);
    return await runner.gradients(
      batch,
      share,
      into,
      more,
      ...(split === undefined ? [] : [split]),
    );
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
    await observed.look(model.runner, batch, fields, more);
  }

  /** What is fed for patches, and for what hooks have made of tensors within the model. */
  async changedActivations(
    batch: TrainingBatch,
    points: readonly string[],
  ): Promise<Readonly<Record<string, HostFeed>>> {
    const { loop, model } = this.#host;
    if (points.length === 0) return model.patchFeeds;
    const { given, feedsOf } = await tensorsToPipe(model, batch);
    const isAsked = this.isDue(TrainingStage.ACTIVATIONS);
    const next = isAsked ? await loop.pipe(TrainingStage.ACTIVATIONS, given) : given;
    return { ...model.patchFeeds, ...feedsOf(next) };
  }

  /** Takes in what a run has come to: now, or later where nobody is there who wants to know it. */
  async #know(ran: Ran, work: Work): Promise<void> {
    if (ran.means !== undefined) return this.#record(ran.means, work);
    const stages = work.isLast ? [...OF_LOSS, ...OF_STEP] : OF_LOSS;
    if (stages.some((stage) => this.isDue(stage))) {
      await this.settle(); // in order
      return this.#record(await ran.fetch(true), work);
    }
    this.#late.push(ran.fetch(false).then((means) => this.#record(means, work)));
    if (this.#late.length > UNDER_WAY) await this.#late.shift();
  }

  #record(means: ArrayLike<number>, { part: { batch }, measured, weights, counts }: Work): void {
    const { context, progress } = this.#host;
    const loss = lossFrom(means, weights);
    progress.latestLoss = loss;
    progress.tally.add(measured, { means, counts, loss, size: batch.size });
    context.loss = loss;
    context.metrics = batchMetrics(measured, means, loss);
  }

  /** A loss of a hook's: forward, the hook, and back from the slopes that it gives. */
  async #ownLoss(
    { part: { batch }, into }: Work,
    more: Readonly<Record<string, HostFeed>>,
  ): Promise<void> {
    const { loop, context, model, progress } = this.#host;
    const outputs = await model.runner.forward(batch, more);
    context.outputs = outputs;
    const computed = await loop.replace<ComputedLoss>(TrainingStage.COMPUTE_LOSS, () => {
      throw new Error("Cannot compute the loss as a hook must be there to: it has gone");
    });
    const slopes = new Map([...outputs].map(([name, { dims, data }]) => {
      const slope = computed.slopes.get(name);
      const numbers = Float32Array.from(slope ?? new Float32Array(data.length));
      if (numbers.length === data.length) return [name, { data: numbers, dims }];
      throw new RangeError(
        `Cannot go back from the loss as the slopes by ${name} must be ${data.length}: current length is ${numbers.length}`,
      );
    }));
    await model.runner.slopes(batch, slopes, into, more);
    context.loss = progress.latestLoss = computed.loss;
    context.metrics = { loss: computed.loss };
    progress.tally.add({ terms: [], metrics: [] }, {
      ...{ means: [], counts: [], loss: computed.loss, size: batch.size },
    });
  }

  /** Gradients go with the loss: what comes back of a pipe weighs it. */
  #weigh(into: GradientTarget, loss: number, next: number): void {
    const { context, model, progress } = this.#host;
    if (typeof next !== "number" || (loss === 0 && next !== 0)) {
      throw new RangeError(
        `Cannot weigh the loss as what comes back must be a number, and 0 where it was 0: current value is ${next} of ${loss}`,
      );
    }
    model.updates.scale(into, next / loss);
    context.loss = progress.latestLoss = next;
  }

  async #update(settings: MergedSettings, parts: readonly NamedBatch[]): Promise<void> {
    const { loop, context, progress, model, optimizers } = this.#host;
    this.schedule(loop.stepCount);
    await this.#changedGradients();
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
    if (this.isDue(TrainingStage.OPTIMIZER_STEP)) {
      context.parameters = await this.#arraysOf("parameters", (i) => owners[i] === index);
    }
    const before = context.parameters;
    let isOwn = true;
    await loop.replace(TrainingStage.OPTIMIZER_STEP, () => {
      isOwn = false;
      model.updates.step(index, (i) => this.#isUsed(i));
    });
    if (isOwn && before !== undefined) this.#write("parameters", before);
    await loop.fire(TrainingStage.AFTER_OPTIMIZER_STEP);
  }

  /** What hooks have made of the gradients. */
  async #changedGradients(): Promise<void> {
    const { loop } = this.#host;
    if (!this.isDue(TrainingStage.GRADIENTS)) return;
    const given = await this.#arraysOf("gradients", () => true);
    const next = await loop.pipe(TrainingStage.GRADIENTS, given);
    this.#check(given, next);
    this.#dropped = new Set([...given.keys()].filter((name) => !next.has(name)));
    this.#write("gradients", next);
  }

  #check(given: ReadonlyMap<string, Float32Array>, next: ReadonlyMap<string, Float32Array>): void {
    for (const [name, numbers] of next) {
      const wanted = given.get(name)?.length;
      if (wanted !== undefined && numbers?.length === wanted) continue;
      throw new RangeError(
        `Cannot use the gradients that came out of a pipe as each must be of a parameter and have its length: ` +
          `current value is ${name} with ${numbers?.length} of ${wanted ?? "no such parameter"}`,
      );
    }
  }

  async #clip({ clip }: MergedSettings): Promise<void> {
    if (clip === undefined) return;
    const { loop, model: { updates } } = this.#host;
    await this.#findNorm(true);
    updates.sumSquares((i) => this.#isUsed(i));
    if (clip.norm !== undefined) updates.clipNorm(clip.norm);
    if (clip.value !== undefined) updates.clipValues(clip.value);
    await loop.fire(TrainingStage.GRADIENT_CLIP);
  }

  /** The norm, where it must be fetched and somebody may ask for it. */
  async #findNorm(isClipping = false): Promise<void> {
    const { model: { updates, arena } } = this.#host;
    if (this.#norm !== undefined) return;
    if (arena.backend.isHost) {
      if (isClipping) void this.norm; // before it is another
      return;
    }
    const wants = [TrainingStage.GRADIENT_CLIP, ...OF_STEP].some((stage) => this.isDue(stage));
    if (!wants) return;
    updates.sumSquares((i) => this.#isUsed(i));
    const squares = updates.squares();
    this.#norm = normOf(isThenable(squares) ? await squares : squares);
  }

  #isUsed(index: number): boolean {
    return this.#dropped.size === 0 ||
      !this.#dropped.has(this.#host.model.arena.places[index]!.name);
  }

  /** Parts of an array by parameter: views in host memory, copies elsewhere. */
  async #arraysOf(
    array: string,
    isWanted: (index: number) => boolean,
  ): Promise<Map<string, Float32Array>> {
    const { arena } = this.#host.model, buffer = arena.array(array);
    const seen = arena.backend.see([buffer]);
    const [numbers] = isThenable(seen) ? await seen : seen;
    return new Map(
      arena.places.filter((_, i) => isWanted(i)).map(({ name, from, size }) => [
        name,
        numbers.subarray(from, from + size) as Float32Array,
      ]),
    );
  }

  #write(array: string, values: ReadonlyMap<string, Float32Array>): void {
    const { arena } = this.#host.model, buffer = arena.array(array);
    for (const { name, from } of arena.places) {
      const numbers = values.get(name);
      if (numbers === undefined) continue;
      const isThere = arena.backend.isHost &&
        numbers.buffer === arena.backend.view(buffer).buffer &&
        numbers.byteOffset === arena.backend.view(buffer).byteOffset +
            from * numbers.BYTES_PER_ELEMENT;
      if (!isThere) arena.backend.write(buffer, numbers, from);
    }
  }
}

/** A batch on its way. */
interface Work {
  readonly part: NamedBatch;
  readonly measured: Measured;
  readonly weights: readonly number[];
  readonly counts: readonly number[];
  readonly share: Float32Array;
  readonly into: GradientTarget;
  readonly isLast: boolean;
}

function normOf(squares: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < squares.length; i++) sum += squares[i]!;
  return Math.sqrt(sum);
}
