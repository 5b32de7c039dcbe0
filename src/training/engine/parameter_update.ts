/**
 * The update at the end of a step. Hooks may change the gradients, the gradients are clipped, and the optimizers
 * update the parameters.
 *
 * @module
 */

import type { NamedBatch } from "../data/named_data.ts";
import { arraysOf, checkPiped, writeArrays } from "../model/parameter_arrays.ts";
import { TrainingStage } from "../stages.ts";
import type { BatchResults } from "./batch_results.ts";
import { isDue } from "./due_hooks.ts";
import type { GradientNorm } from "./gradient_norm.ts";
import { UPDATE_STAGES } from "./loss_stages.ts";
import type { MergedSettings } from "./merged_settings.ts";
import type { StepHost } from "./step_host.ts";

/** Updates the parameters of a trainer. */
export class ParameterUpdate {
  readonly #host: StepHost;
  readonly #norm: GradientNorm;
  readonly #results: BatchResults;
  /** Names of parameters that hooks have excluded from the current step. */
  #dropped: ReadonlySet<string> = new Set();

  constructor(host: StepHost, norm: GradientNorm, results: BatchResults) {
    this.#host = host;
    this.#norm = norm;
    this.#results = results;
  }

  /** Begins a step, in which all parameters take part at first. */
  begin(): void {
    this.#dropped = new Set();
  }

  /** Returns whether a parameter, given by its index, takes part in the step. */
  isUsed(index: number): boolean {
    return this.#dropped.size === 0 ||
      !this.#dropped.has(this.#host.model.arena.places[index]!.name);
  }

  /** Runs the update of a step. `parts` are the batches of the step. */
  async run(settings: MergedSettings, parts: readonly NamedBatch[]): Promise<void> {
    const { loop, model, optimizers } = this.#host;
    await this.#pipeGradients();
    this.#norm.forget();
    await this.#clip(settings);
    await this.#findNorm();
    const goesOn = await loop.gate(TrainingStage.MAY_UPDATE), step = loop.stepCount;
    for (let i = 0; goesOn && i < optimizers.length; i++) await this.#optimizerStep(i);
    if (goesOn && settings.ema !== undefined) model.updates.average(settings.ema.decay);
    this.#count(parts, goesOn);
    // Schedules of hooks use the index of this step, while the context already has the number of steps done.
    await loop.point(TrainingStage.STEP_END).fire(step);
  }

  async #pipeGradients(): Promise<void> {
    const { loop, model: { arena } } = this.#host;
    if (!isDue(loop, TrainingStage.GRADIENTS)) return;
    const given = await arraysOf(arena, "gradients", () => true);
    const next = await loop.pipe(TrainingStage.GRADIENTS, given);
    checkPiped(given, next);
    this.#dropped = new Set([...given.keys()].filter((name) => !next.has(name)));
    writeArrays(arena, "gradients", next);
  }

  async #clip({ clip }: MergedSettings): Promise<void> {
    if (clip === undefined) return;
    const { loop, model: { updates, arena } } = this.#host;
    if (arena.backend.isHost) void this.#norm.value; // computes the norm before clipping changes the gradients
    else await this.#findNorm();
    if (clip.norm !== undefined) {
      this.#norm.prepareClip();
      updates.clipNorm(clip.norm);
    }
    if (clip.value !== undefined) updates.clipValues(clip.value);
    await loop.fire(TrainingStage.GRADIENT_CLIP);
  }

  /**
   * Fetches the norm if the gradients are on a GPU and a hook may read the norm. In host memory the norm is computed
   * when it is read.
   */
  async #findNorm(): Promise<void> {
    const { loop, model: { arena } } = this.#host;
    if (arena.backend.isHost || !this.#norm.isUnknown) return;
    const isWanted = UPDATE_STAGES.some((stage) => isDue(loop, stage)) ||
      loop.hooks.reads().has("gradNorm");
    if (isWanted) await this.#results.addNorm();
  }

  async #optimizerStep(index: number): Promise<void> {
    const { loop, context, model, owners } = this.#host;
    context.optimizerIdx = index;
    await loop.fire(TrainingStage.BEFORE_OPTIMIZER_STEP);
    const isOwn = (i: number) => owners[i] === index && this.isUsed(i);
    const own = isDue(loop, TrainingStage.OPTIMIZER_STEP)
      ? context.parameters = await arraysOf(model.arena, "parameters", isOwn)
      : undefined;
    let isReplaced = true;
    await loop.replace(TrainingStage.OPTIMIZER_STEP, () => {
      isReplaced = false;
      model.updates.step(index, (i) => this.isUsed(i));
    });
    if (isReplaced && own !== undefined) writeArrays(model.arena, "parameters", own);
    await loop.fire(TrainingStage.AFTER_OPTIMIZER_STEP);
  }

  /** Counts the step and its samples, and fills the context of STEP_END. */
  #count(parts: readonly NamedBatch[], goesOn: boolean): void {
    const { loop, context, progress, optimizers } = this.#host;
    for (const { batch: { size, tokens = 0 } } of parts) progress.countSamples(size, tokens);
    context.lr = optimizers[0]!.groups[0]!.lr;
    context.samplesSeen = progress.samplesSeen;
    context.tokensSeen = progress.tokensSeen;
    context.skipped = !goesOn;
    if (goesOn) loop.advance("step");
  }
}
