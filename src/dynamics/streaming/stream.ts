/**
 * Systems that come and go under an engine, while it runs.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { FinishedSystems, SystemStream } from "../step/run_engine.ts";
import type { DivergedError } from "../diverged_error.ts";
import type { Graduates } from "./graduates.ts";
import type { Sample, SizeAwareSampler } from "./sampler.ts";
import type { SavedStream, StreamCounts, StreamSlot } from "./saved_stream.ts";
import type { StreamProgress } from "../stages.ts";
import { StreamFilling } from "./stream_filling.ts";
import { batchOf, isWaiting, slotOf, StreamBatch, type StreamEngine } from "./stream_batch.ts";
import type { StreamOptions, StreamSummary } from "./stream_options.ts";

/** Options of the call under way. */
interface CallOptions extends Omit<StreamOptions, "sinks"> {
  readonly sinks: Graduates;
}

/** A stream of systems through an engine. */
export class Stream implements SystemStream {
  /** The source of its systems. */
  readonly sampler: SizeAwareSampler;
  readonly #engine: StreamEngine;
  readonly #crowd: StreamBatch;
  readonly #counts: StreamCounts;
  readonly #filling: StreamFilling;
  #options: CallOptions;
  #failure: { readonly error: unknown } | undefined;
  /** The state from which the run would go on elsewhere. */
  #snapshot: Pick<SavedStream, "slots" | "counts"> & { readonly uncounted: number } | undefined;

  private constructor(
    engine: StreamEngine,
    sampler: SizeAwareSampler,
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
    this.#crowd = new StreamBatch(engine, sampler, had);
    this.#counts = { ...had.counts };
  }

  /** Begins with a batch as full as it may be; `undefined` where the source is dry. */
  static async begin(
    engine: StreamEngine,
    sampler: SizeAwareSampler,
    sinks: Graduates,
    { maxSteps = Infinity }: StreamOptions,
  ): Promise<Stream | undefined> {
    const samples = await sampler.take();
    if (samples.length === 0) return undefined;
    const batch = batchOf(samples);
    batch.ensure("status");
    const endsAt = engine.loop.stepCount + maxSteps;
    const slots = samples.map((sample) => slotOf(sample, sampler, endsAt));
    const counts = { ...NOTHING, systems: slots.length };
    return new Stream(engine, sampler, sinks, { batch, slots, counts });
  }

  /** Goes on from what `save` gave, with the batch that goes with it. */
  static resume(
    engine: StreamEngine,
    sampler: SizeAwareSampler,
    sinks: Graduates,
    { batch, saved }: { readonly batch: Batch; readonly saved: SavedStream },
  ): Stream {
    if (!Array.isArray(saved.slots) || saved.slots.length !== batch.size) {
      throw new TypeError(
        `Cannot go on with the stream of ${engine.name} as its state must be what save() gave for ${batch.size} ` +
          `systems: current count is ${saved.slots?.length}`,
      );
    }
    sampler.load(saved.sampler);
    return new Stream(engine, sampler, sinks, { batch, ...saved });
  }

  /** Sets the options of the next run. */
  configure(sinks: Graduates, options: StreamOptions): void {
    this.#options = { ...options, sinks };
    this.#failure = undefined;
  }

  /** The systems that are in the batch now. */
  get batch(): Batch {
    return this.#crowd.batch;
  }

  get #slots(): StreamSlot[] {
    return this.#crowd.slots;
  }

  /** What it has come to. */
  get summary(): StreamSummary {
    this.#filling.count(this.#slots, this.#counts);
    const { filled, fillable, ...counts } = this.#counts;
    return { ...counts, filling: filled / fillable, isDone: this.isDone };
  }

  /** How far it has come, whenever that is asked. */
  get progress(): StreamProgress {
    const counts = this.#counts, { length: total } = this.sampler;
    return {
      total,
      get done() {
        return counts.graduated + counts.failures.length;
      },
    };
  }

  /** Whether the source is dry and all are done. */
  get isDone(): boolean {
    return this.sampler.isDry && this.#slots.every(({ isWritten }) => isWritten);
  }

  /** All that it needs to go on: plain data. Sinks have all that they were given. */
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

  /** Begins a run: systems may have finished in the run before that could not be written. */
  async begin(): Promise<void> {
    const { loop, place } = this.#engine;
    place.run!.admission.enter(this.#entering);
    if (!this.#isAnyActive && !this.isDone) await this.#tryRefill(loop.stepCount - 1);
    if (this.isDone) loop.done();
  }

  /** Throws the error of a refill: the step before it is done. */
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

  /** Goes back to the last snapshot: the steps since then are repeated, and written systems stay written. */
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

  get #isAnyActive(): boolean {
    return this.#slots.some(({ finishedAt }) => finishedAt < 0);
  }

  get #isHost(): boolean {
    return this.#engine.place.run!.state.backend.isHost;
  }

  /** To change the batch takes time, and on a device to know who rests; with a visited model each step takes more. */
  get #refillFrequency(): number {
    const { refillFrequency } = this.#options;
    if (refillFrequency !== undefined) return refillFrequency;
    return this.#isHost && this.#engine.place.run!.admission.isInStep ? 1 : 20;
  }

  /** Where others join at little cost, who rests is asked for more often than that on a device. */
  get #askFrequency(): number {
    const { isHost, forgetPairs } = this.#engine.place.run!.state.backend;
    const isCheap = !isHost && forgetPairs !== undefined &&
      this.#options.refillFrequency === undefined;
    return isCheap ? ASK : this.#refillFrequency;
  }

  /** Whether so many wait to be written that it is time, though it is not the step. */
  get #isWorthIt(): boolean {
    if (this.#options.refillFrequency !== undefined) return !this.#isAnyActive;
    const waiting = this.#slots.reduce((sum, slot) => isWaiting(slot) ? sum + 1 : sum, 0);
    return SHARE * waiting >= this.#slots.length || !this.#isAnyActive;
  }

  /** Returns how many steps can run until systems have to be taken out or admitted. */
  free(): number {
    const { loop: { stepCount } } = this.#engine;
    const toRefill = this.#askFrequency - stepCount % this.#askFrequency;
    const isWaited = !this.#isHost ||
      this.#slots.some(isWaiting);
    let free = isWaited ? toRefill : Infinity;
    for (const { finishedAt, endsAt } of this.#slots) {
      if (finishedAt < 0) free = Math.min(free, endsAt - stepCount);
    }
    return Math.max(1, free);
  }

  /** Notes steps that are done: takes out systems that have done all their steps, and refills if it is time. */
  stepped(done: number): void | PromiseLike<void> {
    const last = this.#engine.loop.stepCount + done - 1;
    const ends = this.#isOver(last);
    const isTime = (last + 1) % this.#refillFrequency === 0;
    this.#counts.steps += done;
    this.#filling.add(done, last);
    if (this.#entering.length > 0) return this.#look(last, isTime);
    if (!ends && !this.#isHost && !this.#isAsking(last)) return;
    if (ends || !this.#isHost) return this.#look(last, isTime);
    if (!this.#slots.some(isWaiting) || (!isTime && !this.#isWorthIt)) return;
    return this.#tryRefill(last);
  }

  /** Whether it is time to ask who rests. */
  #isAsking(last: number): boolean {
    return (last + 1) % this.#askFrequency === 0;
  }

  /** Whether somebody's steps are over. */
  #isOver(last: number): boolean {
    return this.#slots.some((slot) => slot.finishedAt < 0 && slot.endsAt <= last + 1);
  }

  /** The same where it takes its time to know who rests, or where somebody's budget is spent. */
  async #look(last: number, isTime: boolean): Promise<void> {
    const { loop, place } = this.#engine;
    if (this.#entering.length > 0) await this.#reportEntered(last);
    if (!this.#isHost && !this.#isAsking(last) && !this.#isOver(last)) return;
    await loop.hooks.soFar;
    const over = this.#slots.flatMap((slot, at) =>
      slot.finishedAt < 0 && slot.endsAt <= last + 1 ? [at] : []
    );
    if (over.length > 0) await place.run!.admission.finish(over);
    for (const at of over) this.#slots[at]!.finishedAt = last;
    if (this.#slots.some(isWaiting) && (isTime || this.#isWorthIt)) await this.#tryRefill(last);
  }

  /** Refills the batch. An error is thrown when the run ends: the step is done, and counts. */
  async #tryRefill(last: number): Promise<void> {
    this.#filling.count(this.#slots, this.#counts);
    try {
      await this.#refill(last);
    } catch (error) {
      if (this.#engine.isLost(error)) {
        this.#crowd.undo();
        throw error;
      }
      this.#failure = { error };
      this.#engine.loop.done();
    }
  }

  async #refill(last: number): Promise<void> {
    const { loop, place } = this.#engine;
    this.#crowd.settle();
    if (place.fallback.last?.saved === undefined) await this.#takeSnapshot(last + 1);
    await this.#graduate(last);
    const samples = await this.sampler.take(this.#crowd.room);
    if (samples.length > 0) await this.#admit(samples, last);
    else if (this.isDone) return loop.done();
    else if (this.#crowd.isHalfEmpty) await this.#crowd.compact();
    else return;
    await this.#takeSnapshot(last + 1);
    this.#crowd.settle();
  }

  /** Those that rest are written; those that have come apart leave. */
  async #graduate(last: number): Promise<void> {
    if (this.#isDropping) this.#engine.place.run!.divergence.checkLast(last);
    for (const slot of this.#slots) if (slot.hasDiverged) slot.isWritten = true;
    const places = this.#slots.flatMap((slot, at) => isWaiting(slot) ? [at] : []);
    if (places.length === 0) return;
    await this.#options.sinks.write(await this.#crowd.frame(places), (written) => {
      for (const at of written) {
        const slot = this.#slots[places[at]!]!;
        slot.isWritten = true;
        this.#counts.graduated++;
        if (slot.hasConverged) this.#counts.converged++;
      }
    });
  }

  /** Takes a snapshot: the last one is of other systems. */
  async #takeSnapshot(step: number): Promise<void> {
    const { place } = this.#engine;
    await place.fallback.take(place.run!, step);
  }

  async #admit(samples: readonly Sample[], last: number): Promise<void> {
    const { place } = this.#engine, { maxSteps = Infinity } = this.#options;
    const { isInStep } = place.run!.admission;
    const entered = await this.#crowd.admit(samples, last + (isInStep ? 2 : 1) + maxSteps);
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

  /** Reports systems that have got their first forces in a step. */
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

/** When one system in so many waits to be written, the batch is refilled. */
const SHARE = 8;

/** At every so many steps it is asked who rests, where nobody knows at once and others join at little cost. */
const ASK = 4;

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
