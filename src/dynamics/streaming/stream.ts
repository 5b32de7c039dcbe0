/**
 * Systems that come and go under an engine, while it runs.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { after, isThenable } from "../../base/sequence.ts";
import type { Keeper, RestNews } from "../engine/run_engine.ts";
import type { DivergedError } from "../diverged_error.ts";
import type { Graduates } from "./graduates.ts";
import type { Sample, SizeAwareSampler } from "./sampler.ts";
import type { SavedStream, StreamCounts, StreamSlot } from "./saved_stream.ts";
import type { StreamProgress } from "../stages.ts";
import { batchOf, isWaiting, slotOf, StreamBatch, type StreamEngine } from "./stream_batch.ts";
import type { StreamOptions, StreamSummary } from "./stream_options.ts";

/** A stream of systems through an engine. */
export class Stream implements Keeper {
  /** What its systems come from. */
  readonly sampler: SizeAwareSampler;
  readonly #engine: StreamEngine;
  readonly #crowd: StreamBatch;
  readonly #counts: StreamCounts;
  #sinks: Graduates;
  #asked: number | undefined;
  #maxSteps = Infinity;
  #isDropping = false;
  #failure: { readonly error: unknown } | undefined;
  /** What the run would go on from elsewhere. */
  #kept: Pick<SavedStream, "slots" | "counts"> & { readonly uncounted: number } | undefined;
  /** So many steps, up to the last, of which it may not be known yet who rested in them. */
  #uncounted = 0;
  #last = -1;

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
    this.#sinks = sinks;
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

  /** What is to be heeded from now on. */
  heed(
    sinks: Graduates,
    { refillFrequency, maxSteps = Infinity, onDiverged = "throw" }: StreamOptions,
  ): void {
    this.#isDropping = onDiverged === "drop";
    this.#sinks = sinks;
    this.#asked = refillFrequency;
    this.#maxSteps = maxSteps;
    this.#failure = undefined;
  }

  /** The systems of the moment. */
  get batch(): Batch {
    return this.#crowd.batch;
  }

  get #slots(): StreamSlot[] {
    return this.#crowd.slots;
  }

  /** What it has come to. */
  get summary(): StreamSummary {
    this.#countFilling();
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
    await this.#sinks.flush();
    this.#countFilling();
    return {
      sampler: this.sampler.save(),
      slots: this.#slots.map((slot) => ({ ...slot })),
      counts: { ...this.#counts },
      lengths: this.#sinks.lengths(),
      clock: this.#engine.place.run!.clock.save(),
    };
  }

  /** A run begins: somebody may have come to rest in one before, and could not be written. */
  async begin(): Promise<void> {
    await this.#engine.place.begin();
    this.#engine.place.run!.join(this.#joining);
    if (!this.#isAnyMoving && !this.isDone) await this.#tryRefill(this.#engine.loop.stepCount - 1);
    if (this.isDone) this.#engine.loop.done();
  }

  /** One step, and what follows it. */
  step(): void | PromiseLike<void> {
    return after(this.#engine.place.step(), () => this.#after(1));
  }

  /** Many steps in which no hook is due, as far as nobody has to be looked after; answers with how many. */
  leap(n: number): number | PromiseLike<number> {
    return after(this.#engine.place.leap(Math.min(n, this.#free())), (done: number) => {
      const waiting = this.#after(done);
      return isThenable(waiting) ? waiting.then(() => done) : done;
    });
  }

  /** Throws what was wrong with a refill: the step before it is done. */
  end(): void {
    const { place, loop } = this.#engine;
    if (this.#isDropping) place.run!.lookAtLast(loop.stepCount - 1);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** See {@linkcode Keeper.rested}. */
  rested(step: number, { active, mask }: RestNews): void {
    for (const [place, slot] of this.#slots.entries()) {
      if (active[place] !== 0 || slot.restedAt >= 0) continue;
      slot.restedAt = step;
      slot.hasConverged = mask[place] !== 0;
    }
  }

  /** See {@linkcode Keeper.isLeft}. */
  isLeft(step: number, { systems, message }: DivergedError): boolean {
    if (!this.#isDropping) return false;
    for (const place of systems) {
      const slot = this.#slots[place]!;
      if (slot.isLost) continue;
      Object.assign(slot, { isLost: true, restedAt: Math.max(0, step), hasConverged: false });
      const failure = { sourceIndex: slot.index, step, reason: message };
      this.#counts.failures = [...this.#counts.failures, failure];
    }
    return true;
  }

  /** See {@linkcode Keeper.isLost}. */
  isLost(place: number): boolean {
    return this.#slots[place]?.isLost === true;
  }

  /** See {@linkcode Keeper.kept}. */
  kept(): void {
    const slots = this.#slots.map((slot) => ({ ...slot }));
    this.#kept = { slots, counts: { ...this.#counts }, uncounted: this.#uncounted };
  }

  /** Steps since then are done again; what was written stays so. */
  goBack(): void {
    if (this.#kept === undefined) return;
    const { slots, counts, uncounted } = this.#kept;
    this.#uncounted = uncounted;
    this.#last = this.#engine.loop.stepCount - 1;
    const written = new Set(this.#slots.filter((one) => one.isWritten).map(({ index }) => index));
    const back = slots.map((slot) => ({ ...slot, isWritten: written.has(slot.index) }));
    this.#slots.splice(0, Infinity, ...back);
    const { graduated, converged } = this.#counts;
    Object.assign(this.#counts, counts, { graduated, converged });
  }

  get #isAnyMoving(): boolean {
    return this.#slots.some(({ restedAt }) => restedAt < 0);
  }

  get #isHost(): boolean {
    return this.#engine.place.run!.state.backend.isHost;
  }

  /** To change the batch takes time, and on a device to know who rests; with a visited model each step takes more. */
  get #refillFrequency(): number {
    if (this.#asked !== undefined) return this.#asked;
    return this.#isHost && this.#engine.place.run!.joinsInStep ? 1 : 20;
  }

  /** Where others join at little cost, who rests is asked for more often than that on a device. */
  get #askFrequency(): number {
    const { isHost, forgetPairs } = this.#engine.place.run!.state.backend;
    const isCheap = !isHost && forgetPairs !== undefined && this.#asked === undefined;
    return isCheap ? ASK : this.#refillFrequency;
  }

  /** Whether so many wait to be written that it is time, though it is not the step. */
  get #isWorthIt(): boolean {
    if (this.#asked !== undefined) return !this.#isAnyMoving;
    const waiting = this.#slots.reduce((sum, slot) => isWaiting(slot) ? sum + 1 : sum, 0);
    return SHARE * waiting >= this.#slots.length || !this.#isAnyMoving;
  }

  /** Steps that can be done until somebody has to be looked after. */
  #free(): number {
    const { loop: { stepCount } } = this.#engine;
    const toRefill = this.#askFrequency - stepCount % this.#askFrequency;
    const isWaited = !this.#isHost ||
      this.#slots.some(isWaiting);
    let free = isWaited ? toRefill : Infinity;
    for (const { restedAt, endsAt } of this.#slots) {
      if (restedAt < 0) free = Math.min(free, endsAt - stepCount);
    }
    return Math.max(1, free);
  }

  /** After steps: budgets, and the refill if it is time. */
  #after(done: number): void | PromiseLike<void> {
    const last = this.#engine.loop.stepCount + done - 1;
    const ends = this.#isOver(last);
    const isTime = (last + 1) % this.#refillFrequency === 0;
    this.#count(done);
    if (this.#joining.length > 0) return this.#look(last, isTime);
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
    return this.#slots.some((slot) => slot.restedAt < 0 && slot.endsAt <= last + 1);
  }

  /** The same where it takes its time to know who rests, or where somebody's budget is spent. */
  async #look(last: number, isTime: boolean): Promise<void> {
    const { loop, place } = this.#engine;
    if (this.#joining.length > 0) await this.#join(last);
    if (!this.#isHost && !this.#isAsking(last) && !this.#isOver(last)) return;
    await loop.hooks.soFar;
    const over = this.#slots.flatMap((slot, at) =>
      slot.restedAt < 0 && slot.endsAt <= last + 1 ? [at] : []
    );
    if (over.length > 0) await place.run!.rest(over);
    for (const at of over) this.#slots[at]!.restedAt = last;
    if (this.#slots.some(isWaiting) && (isTime || this.#isWorthIt)) await this.#tryRefill(last);
  }

  #count(done: number): void {
    this.#counts.steps += done;
    this.#last = this.#engine.loop.stepCount + done - 1;
    if (!this.sampler.isDry) this.#uncounted += done;
  }

  /** How full it was in each of the last steps: once it is known who rested, and before others are in the places. */
  #countFilling(): void {
    const { maxSystems, maxAtoms, maxEdges } = this.sampler;
    for (let step = this.#last - this.#uncounted + 1; step <= this.#last; step++) {
      let systems = 0, atoms = 0, edges = 0;
      for (const slot of this.#slots) {
        const hasRested = slot.restedAt >= 0 && slot.restedAt < step;
        if (hasRested || slot.isJoining) continue;
        systems++;
        atoms += slot.atoms;
        edges += slot.edges;
      }
      const filling = Math.max(systems / maxSystems, atoms / maxAtoms, edges / maxEdges);
      this.#counts.filled += filling;
      this.#counts.fillable++;
    }
    this.#uncounted = 0;
  }

  /** What goes wrong is told when the run ends: the step is done, and counts. */
  async #tryRefill(last: number): Promise<void> {
    this.#countFilling();
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
    await place.keepBefore(last + 1);
    await this.#graduate(last);
    const samples = await this.sampler.take(this.#crowd.room);
    if (samples.length > 0) await this.#admit(samples, last);
    else if (this.isDone) return loop.done();
    else if (this.#crowd.isHalfEmpty) await this.#crowd.compact();
    else return;
    await place.keepChanged(last + 1);
    this.#crowd.settle();
  }

  /** Those that rest are written; those that have come apart leave. */
  async #graduate(last: number): Promise<void> {
    if (this.#isDropping) this.#engine.place.run!.lookAtLast(last);
    for (const slot of this.#slots) if (slot.isLost) slot.isWritten = true;
    const places = this.#slots.flatMap((slot, at) => isWaiting(slot) ? [at] : []);
    if (places.length === 0) return;
    await this.#sinks.write(await this.#crowd.frame(places), (written) => {
      for (const at of written) {
        const slot = this.#slots[places[at]!]!;
        slot.isWritten = true;
        this.#counts.graduated++;
        if (slot.hasConverged) this.#counts.converged++;
      }
    });
  }

  async #admit(samples: readonly Sample[], last: number): Promise<void> {
    const { place } = this.#engine;
    const first = last + (place.run!.joinsInStep ? 2 : 1);
    const joined = await this.#crowd.admit(samples, first + this.#maxSteps);
    this.#counts.systems += joined.length;
    this.#counts.refills++;
    const run = place.run!, mask = this.#maskOf(joined);
    await run.settle(mask);
    if (run.joinsInStep) {
      for (const at of joined) this.#slots[at]!.isJoining = true;
      return run.join(joined);
    }
    await run.prime(mask, last + 1);
    await run.admitted(mask, last);
  }

  #maskOf(places: readonly number[]): Int32Array {
    const mask = new Int32Array(this.#slots.length);
    for (const at of places) mask[at] = 1;
    return mask;
  }

  /** Those that have got their forces in a step have joined. */
  async #join(last: number): Promise<void> {
    const joined = this.#joining;
    this.#countFilling();
    for (const at of joined) this.#slots[at]!.isJoining = false;
    await this.#engine.place.run!.admitted(this.#maskOf(joined), last);
  }

  get #joining(): number[] {
    return this.#slots.flatMap(({ isJoining }, at) => isJoining ? [at] : []);
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
