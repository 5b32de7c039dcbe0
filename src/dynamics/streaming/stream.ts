/**
 * A stream of systems through the batch of an engine, while it runs.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { FinishedSystems, SystemStream } from "../step/run_engine.ts";
import type { DivergedError } from "../diverged_error.ts";
import type { Graduates } from "./graduates.ts";
import type { Sample, StreamSampler } from "./sampler.ts";
import {
  assertSlots,
  type SavedStream,
  type StreamCounts,
  type StreamSlot,
} from "./saved_stream.ts";
import type { StreamProgress } from "../stages.ts";
import { RefillSchedule } from "./refill_schedule.ts";
import { StreamFilling } from "./stream_filling.ts";
import { batchOf, isWaiting, slotOf, StreamBatch, type StreamEngine } from "./stream_batch.ts";
import type { StreamOptions, StreamSummary } from "./stream_options.ts";

/** Options of the current call of `engine.stream`. */
interface CallOptions extends Omit<StreamOptions, "sinks"> {
  readonly sinks: Graduates;
}

/** A stream of systems through an engine. */
export class Stream implements SystemStream {
  /** Sampler from which the stream takes its systems. */
  readonly sampler: StreamSampler;
  readonly #engine: StreamEngine;
  readonly #content: StreamBatch;
  readonly #counts: StreamCounts;
  readonly #filling: StreamFilling;
  #options: CallOptions;
  #schedule: RefillSchedule;
  #failure: { readonly error: unknown } | undefined;
  /** State from which the run would continue on another backend. */
  #snapshot: Pick<SavedStream, "slots" | "counts"> & { readonly uncounted: number } | undefined;

  private constructor(
    engine: StreamEngine,
    sampler: StreamSampler,
    sinks: Graduates,
    had: {
      readonly batch: Batch;
      readonly slots: readonly StreamSlot[];
      readonly counts: StreamCounts;
    },
  ) {
    this.#engine = engine;
    this.sampler = sampler;
    this.#options = { sinks };
    this.#filling = new StreamFilling(sampler);
    this.#content = new StreamBatch(engine, sampler, had);
    this.#schedule = new RefillSchedule(engine, this.#slots, undefined);
    this.#counts = { ...had.counts };
  }

  /** Begins with a batch as full as the limits allow. Returns `undefined` if all samples are already taken. */
  static async begin(
    engine: StreamEngine,
    sampler: StreamSampler,
    sinks: Graduates,
    { maxSteps = Infinity }: StreamOptions,
  ): Promise<Stream | undefined> {
    const samples = await sampler.take();
    if (samples.length === 0) return undefined;
    const batch = batchOf(samples, sampler);
    batch.ensure("status");
    const endsAt = engine.loop.stepCount + maxSteps;
    const slots = samples.map((sample) => slotOf(sample, sampler, endsAt));
    const counts = { ...NOTHING, systems: slots.length };
    return new Stream(engine, sampler, sinks, { batch, slots, counts });
  }

  /** Continues a saved stream. Throws a TypeError if the state does not fit the batch or the sampler. */
  static resume(
    engine: StreamEngine,
    sampler: StreamSampler,
    sinks: Graduates,
    { batch, saved }: { readonly batch: Batch; readonly saved: SavedStream },
  ): Stream {
    assertSlots(`continue the stream of ${engine.name}`, saved.slots, batch.size);
    sampler.load(saved.sampler);
    return new Stream(engine, sampler, sinks, { batch, ...saved });
  }

  /** Sets the options of the next run. */
  configure(sinks: Graduates, options: StreamOptions): void {
    if (sinks !== this.#options.sinks) sinks.takeOver(this.#options.sinks);
    this.#options = { ...options, sinks };
    this.#schedule = new RefillSchedule(this.#engine, this.#slots, options.refillFrequency);
    this.#failure = undefined;
  }

  /** The batch, with the systems that are in it now. */
  get batch(): Batch {
    return this.#content.batch;
  }

  get #slots(): StreamSlot[] {
    return this.#content.slots;
  }

  /** Results of the stream so far. */
  get summary(): StreamSummary {
    this.#filling.count(this.#slots, this.#counts);
    const { filled, fillable, ...counts } = this.#counts;
    return { ...counts, filling: filled / fillable, isDone: this.isDone };
  }

  /** Progress of the stream. The property `done` of the object stays up to date. */
  get progress(): StreamProgress {
    const counts = this.#counts, { length: total } = this.sampler;
    return {
      total,
      get done() {
        return counts.graduated + counts.failures.length;
      },
    };
  }

  /** True if all samples are taken and all systems are finished and written. */
  get isDone(): boolean {
    return this.sampler.isDry && this.#slots.every(({ isWritten }) => isWritten);
  }

  /** Returns the state of the stream as plain data. First waits until the sinks have stored all systems. */
  async save(): Promise<SavedStream> {
    await this.#options.sinks.flush();
    this.#filling.count(this.#slots, this.#counts);
    return {
      sampler: this.sampler.save(),
      slots: this.#slots.map((slot) => ({ ...slot })),
      counts: { ...this.#counts },
      lengths: this.#options.sinks.lengths(),
      clock: this.#engine.place.run!.clock.save(),
    };
  }

  /** Begins a run. Refills the batch first if systems could not be written at the end of the previous run. */
  async begin(): Promise<void> {
    const { loop, place } = this.#engine;
    place.run!.admission.enter(this.#entering);
    if (!this.#schedule.isAnyActive && !this.isDone) await this.#tryRefill(loop.stepCount - 1);
    if (this.isDone) loop.done();
  }

  /** Ends a run. Throws the error of a refill, which was kept until the step was complete. */
  end(): void {
    const { place, loop } = this.#engine;
    if (this.#isDropping) place.run!.divergence.checkLast(loop.stepCount - 1);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  finished(step: number, { active, converged }: FinishedSystems): void {
    for (const [at, slot] of this.#slots.entries()) {
      if (active[at] !== 0 || slot.finishedAt >= 0) continue;
      slot.finishedAt = step;
      slot.hasConverged = converged[at] !== 0;
    }
  }

  drops(step: number, { systems, message }: DivergedError): boolean {
    if (!this.#isDropping) return false;
    for (const at of systems) {
      const slot = this.#slots[at]!;
      if (slot.hasDiverged) continue;
      Object.assign(slot, {
        hasDiverged: true,
        finishedAt: Math.max(0, step),
        hasConverged: false,
      });
      const failure = { sourceIndex: slot.index, step, reason: message };
      this.#counts.failures = [...this.#counts.failures, failure];
      this.#options.onFailure?.(failure);
    }
    return true;
  }

  hasDiverged(slot: number): boolean {
    return this.#slots[slot]?.hasDiverged === true;
  }

  snapshotTaken(): void {
    const slots = this.#slots.map((slot) => ({ ...slot }));
    const { uncounted } = this.#filling;
    this.#snapshot = { slots, counts: { ...this.#counts }, uncounted };
  }

  /** Returns to the last snapshot. Systems written since then are not written again when steps are repeated. */
  goBack(): void {
    if (this.#snapshot === undefined) return;
    const { slots, counts, uncounted } = this.#snapshot;
    this.#filling.goBack(uncounted, this.#engine.loop.stepCount - 1);
    const written = new Set(this.#slots.filter((one) => one.isWritten).map(({ index }) => index));
    const back = slots.map((slot) => ({ ...slot, isWritten: written.has(slot.index) }));
    this.#slots.splice(0, Infinity, ...back);
    const { graduated, converged } = this.#counts;
    Object.assign(this.#counts, counts, { graduated, converged });
  }

  get #isDropping(): boolean {
    return this.#options.onDiverged === "drop";
  }

  free(): number {
    return this.#schedule.free(this.#engine.loop.stepCount);
  }

  /** Adds `done` to the step counts. Then removes finished systems and admits others, if that is due. */
  stepped(done: number): void | PromiseLike<void> {
    const schedule = this.#schedule, { isHost } = schedule;
    const last = this.#engine.loop.stepCount + done - 1;
    const hasEnded = schedule.hasEnded(last);
    this.#counts.steps += done;
    this.#filling.add(done, last);
    if (this.#entering.length > 0) return this.#look(last);
    if (!hasEnded && !isHost && !schedule.isAsking(last)) return;
    if (hasEnded || !isHost) return this.#look(last);
    if (this.#isRefillDue(last)) return this.#tryRefill(last);
  }

  #isRefillDue(last: number): boolean {
    const schedule = this.#schedule;
    return schedule.isAnyWaiting && (schedule.isTime(last) || schedule.isWorthIt);
  }

  /**
   * Does the asynchronous work after steps: reports entered systems, waits until a device has reported which systems
   * have finished, removes systems that have done all their steps, and refills the batch.
   */
  async #look(last: number): Promise<void> {
    const { loop, place } = this.#engine, schedule = this.#schedule;
    if (this.#entering.length > 0) await this.#reportEntered(last);
    if (!schedule.isHost && !schedule.isAsking(last) && !schedule.hasEnded(last)) return;
    await loop.hooks.soFar;
    const ended = schedule.ended(last);
    if (ended.length > 0) await place.run!.admission.finish(ended);
    for (const at of ended) this.#slots[at]!.finishedAt = last;
    if (this.#isRefillDue(last)) await this.#tryRefill(last);
  }

  /** Refills the batch. An error is kept and thrown when the run ends, because the step is already complete. */
  async #tryRefill(last: number): Promise<void> {
    this.#filling.count(this.#slots, this.#counts);
    try {
      await this.#refill(last);
    } catch (error) {
      if (this.#engine.isLost(error)) {
        this.#content.undo();
        throw error;
      }
      this.#failure = { error };
      this.#engine.loop.done();
    }
  }

  async #refill(last: number): Promise<void> {
    const { loop, place } = this.#engine;
    this.#content.settle();
    if (place.fallback.last?.saved === undefined) await this.#takeSnapshot(last + 1);
    await this.#graduate(last);
    const samples = await this.sampler.take(this.#content.room);
    if (samples.length > 0) await this.#admit(samples, last);
    else if (this.isDone) return loop.done();
    else if (this.#content.isHalfEmpty) await this.#content.compact();
    else return;
    await this.#takeSnapshot(last + 1);
    this.#content.settle();
  }

  /** Writes finished systems to the sinks, and removes diverged systems. */
  async #graduate(last: number): Promise<void> {
    if (this.#isDropping) this.#engine.place.run!.divergence.checkLast(last);
    for (const slot of this.#slots) if (slot.hasDiverged) slot.isWritten = true;
    const places = this.#slots.flatMap((slot, at) => isWaiting(slot) ? [at] : []);
    if (places.length === 0) return;
    await this.#options.sinks.write(await this.#content.frame(places), (written) => {
      for (const at of written) {
        const slot = this.#slots[places[at]!]!;
        slot.isWritten = true;
        this.#counts.graduated++;
        if (slot.hasConverged) this.#counts.converged++;
      }
    });
  }

  /** Takes a snapshot, because the last one contains other systems. */
  async #takeSnapshot(step: number): Promise<void> {
    const { place } = this.#engine;
    await place.fallback.take(place.run!, step);
  }

  async #admit(samples: readonly Sample[], last: number): Promise<void> {
    const { place } = this.#engine, { maxSteps = Infinity } = this.#options;
    const { isInStep } = place.run!.admission;
    const entered = await this.#content.admit(samples, last + (isInStep ? 2 : 1) + maxSteps);
    this.#counts.systems += entered.length;
    this.#counts.refills++;
    const { admission } = place.run!, mask = this.#maskOf(entered);
    await admission.settle(mask);
    if (isInStep) {
      for (const at of entered) this.#slots[at]!.isEntering = true;
      return admission.enter(entered);
    }
    await admission.prime(mask, last + 1);
    await admission.report(mask, last);
  }

  #maskOf(places: readonly number[]): Int32Array {
    const mask = new Int32Array(this.#slots.length);
    for (const at of places) mask[at] = 1;
    return mask;
  }

  /** Reports systems to hooks whose first forces were computed in a step. */
  async #reportEntered(last: number): Promise<void> {
    const entered = this.#entering;
    this.#filling.count(this.#slots, this.#counts);
    for (const at of entered) this.#slots[at]!.isEntering = false;
    await this.#engine.place.run!.admission.report(this.#maskOf(entered), last);
  }

  get #entering(): number[] {
    return this.#slots.flatMap(({ isEntering }, at) => isEntering ? [at] : []);
  }
}

const NOTHING: StreamCounts = {
  systems: 0,
  graduated: 0,
  converged: 0,
  failures: [],
  steps: 0,
  refills: 0,
  filled: 0,
  fillable: 0,
};
