/**
 * Systems that come and go under an engine, while it runs.
 *
 * @module
 */

import { Batch, overwrite, restorePoint } from "../batch/batch.ts";
import type { NumericArray } from "../batch/fields.ts";
import { stamped } from "../batch/stamped.ts";
import type { Loop } from "../hooks/loop.ts";
import { after, isThenable } from "../hooks/thenable.ts";
import type { Dtype } from "../kernels/kernel.ts";
import type { BatchPlace } from "./batch_place.ts";
import type { Keeper, RestNews } from "./batch_run.ts";
import type { DynamicsKind } from "./dynamics_options.ts";
import type { Graduates } from "./graduates.ts";
import type { Room, Sample, SizeAwareSampler } from "./sampler.ts";
import type { SavedStream, StreamCounts, StreamSlot } from "./saved_stream.ts";
import type { StreamOptions, StreamSummary } from "./stream_options.ts";

/** What is needed of the engine. */
export interface StreamEngine {
  /** What errors call it. */
  readonly name: string;
  /** StreamCounts steps and calls hooks. */
  readonly loop: Loop<DynamicsKind>;
  /** Where the batch is. */
  readonly place: BatchPlace;
  /** Lets the batch go for as long as it takes to change which systems it has; `home`: the values of all fields. */
  changing(home: Readonly<Record<string, NumericArray>>, work: () => void): void;
  /** Whether an error says that a device is lost from which the run can go on elsewhere. */
  isLost(error: unknown): boolean;
}

/** A stream of systems through an engine. */
export class Stream implements Keeper {
  /** The systems of the moment. */
  readonly batch: Batch;
  /** What they come from. */
  readonly sampler: SizeAwareSampler;
  readonly #engine: StreamEngine;
  readonly #slots: StreamSlot[];
  readonly #counts: StreamCounts;
  #sinks: Graduates;
  #asked: number | undefined;
  #maxSteps = Infinity;
  #failure: { readonly error: unknown } | undefined;
  /** What the run would go on from elsewhere. */
  #kept: Pick<SavedStream, "slots" | "counts"> | undefined;
  /** Takes back what a refill under way has done to the batch. */
  #undo: (() => void) | undefined;

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
    this.batch = had.batch;
    this.#slots = had.slots.map((slot) => ({ ...slot }));
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
    sampler.load(saved.sampler);
    return new Stream(engine, sampler, sinks, { batch, ...saved });
  }

  /** What is to be heeded from now on. */
  heed(sinks: Graduates, { refillFrequency, maxSteps = Infinity }: StreamOptions): void {
    this.#sinks = sinks;
    this.#asked = refillFrequency;
    this.#maxSteps = maxSteps;
    this.#failure = undefined;
  }

  /** What it has come to. */
  get summary(): StreamSummary {
    const { filled, fillable, ...counts } = this.#counts;
    return { ...counts, filling: filled / fillable, isDone: this.isDone };
  }

  /** Whether the source is dry and all are done. */
  get isDone(): boolean {
    return this.sampler.isDry && this.#slots.every(({ isWritten }) => isWritten);
  }

  /** All that it needs to go on: plain data. Sinks have all that they were given. */
  async save(): Promise<SavedStream> {
    await this.#sinks.flush();
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
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** See {@linkcode Keeper.rested}. */
  rested(step: number, { moved, active, mask }: RestNews): void {
    for (const [place, slot] of this.#slots.entries()) {
      if (moved[place] === 0 || active[place] !== 0 || slot.restedAt >= 0) continue;
      slot.restedAt = step;
      slot.hasConverged = mask[place] !== 0;
    }
  }

  /** See {@linkcode Keeper.kept}. */
  kept(): void {
    this.#kept = { slots: this.#slots.map((slot) => ({ ...slot })), counts: { ...this.#counts } };
  }

  /** Steps since then are done again; what was written stays so. */
  goBack(): void {
    if (this.#kept === undefined) return;
    const { slots, counts } = this.#kept;
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

  /** Whether so many wait to be written that it is time, though it is not the step. */
  get #isWorthIt(): boolean {
    if (this.#asked !== undefined) return !this.#isAnyMoving;
    const waiting = this.#slots.reduce((sum, slot) => isWaiting(slot) ? sum + 1 : sum, 0);
    return SHARE * waiting >= this.#slots.length || !this.#isAnyMoving;
  }

  /** Steps that can be done until somebody has to be looked after. */
  #free(): number {
    const { loop: { stepCount } } = this.#engine;
    const toRefill = this.#refillFrequency - stepCount % this.#refillFrequency;
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
    if (!ends && !this.#isHost && !isTime) return;
    if (ends || !this.#isHost) return this.#look(last, isTime);
    if (!this.#slots.some(isWaiting) || (!isTime && !this.#isWorthIt)) return;
    return this.#tryRefill(last);
  }

  /** Whether somebody's steps are over. */
  #isOver(last: number): boolean {
    return this.#slots.some((slot) => slot.restedAt < 0 && slot.endsAt <= last + 1);
  }

  /** The same where it takes its time to know who rests, or where somebody's budget is spent. */
  async #look(last: number, isTime: boolean): Promise<void> {
    const { loop, place } = this.#engine;
    if (this.#joining.length > 0) await this.#join(last);
    if (!this.#isHost && !isTime && !this.#isOver(last)) return;
    await loop.hooks.soFar;
    const over = this.#slots.flatMap((slot, at) =>
      slot.restedAt < 0 && slot.endsAt <= last + 1 ? [at] : []
    );
    if (over.length > 0) await place.run!.rest(over);
    for (const at of over) this.#slots[at]!.restedAt = last;
    if (this.#slots.some(isWaiting) && (isTime || this.#isWorthIt)) await this.#tryRefill(last);
  }

  #count(done: number): void {
    const { maxSystems, maxAtoms, maxEdges, isDry } = this.sampler;
    this.#counts.steps += done;
    if (isDry) return;
    let systems = 0, atoms = 0, edges = 0;
    for (const slot of this.#slots) {
      const hasRested = slot.restedAt >= 0 &&
        slot.restedAt < this.#engine.loop.stepCount + done - 1;
      if (hasRested || slot.isJoining) continue;
      systems++;
      atoms += slot.atoms;
      edges += slot.edges;
    }
    const filling = Math.max(systems / maxSystems, atoms / maxAtoms, edges / maxEdges);
    this.#counts.filled += done * filling;
    this.#counts.fillable += done;
  }

  /** What goes wrong is told when the run ends: the step is done, and counts. */
  async #tryRefill(last: number): Promise<void> {
    try {
      await this.#refill(last);
    } catch (error) {
      if (this.#engine.isLost(error)) {
        this.#undo?.();
        this.#undo = undefined;
        throw error;
      }
      this.#failure = { error };
      this.#engine.loop.done();
    }
  }

  async #refill(last: number): Promise<void> {
    const { loop, place } = this.#engine;
    this.#undo = undefined;
    await place.keepBefore(last + 1);
    await this.#graduate();
    const samples = await this.sampler.take(this.#room());
    if (samples.length > 0) await this.#admit(samples, last);
    else if (this.isDone) return loop.done();
    else if (this.#isHalfEmpty()) await this.#compact();
    else return;
    await place.keepChanged(last + 1);
    this.#undo = undefined;
  }

  /** Those that rest are written. */
  async #graduate(): Promise<void> {
    const slots = this.#slots;
    const places = slots.flatMap((slot, at) => isWaiting(slot) ? [at] : []);
    if (places.length === 0) return;
    const { state, clock } = this.#engine.place.run!;
    const names = [...state.fields].filter((name) => this.batch.has(name));
    const seen = await state.backend.see(names.map((name) => state.field<Dtype>(name)));
    const known = Object.fromEntries(names.map((name, i) => [name, state.now(name, seen[i]!)]));
    const times = clock.at(known[clock.counter] as Int32Array);
    const frame = stamped(await this.batch.snapshot(places, known), {
      step: places.map((at) => slots[at]!.restedAt),
      time: places.map((at) => times[at]!),
    });
    await this.#sinks.write(frame, (written) => {
      for (const at of written) {
        const slot = slots[places[at]!]!;
        slot.isWritten = true;
        this.#counts.graduated++;
        if (slot.hasConverged) this.#counts.converged++;
      }
    });
  }

  /** The room that those who have left leave. */
  #room(): Room {
    let { systems, atoms, edges } = this.sampler.room;
    for (const slot of this.#slots) {
      if (slot.isWritten) continue;
      systems--;
      atoms -= slot.atoms;
      edges -= slot.edges;
    }
    return { systems, atoms, edges };
  }

  /** Whoever has left takes time with models that look at all: but each change of the batch does, too. */
  #isHalfEmpty(): boolean {
    const left = this.#slots.filter(({ isWritten }) => isWritten).length;
    return 2 * left >= this.#slots.length && left < this.#slots.length;
  }

  /** Those that have left leave the batch. */
  async #compact(): Promise<void> {
    const stay = this.#slots.flatMap((slot, at) => slot.isWritten ? [] : [at]);
    await this.#change(() => {
      this.batch.drop(this.#slots.map(({ isWritten }) => isWritten));
      this.#slots.splice(0, Infinity, ...stay.map((at) => this.#slots[at]!));
      return stay;
    });
  }

  async #admit(samples: readonly Sample[], last: number): Promise<void> {
    const { place } = this.#engine;
    const newcomers = batchOf(samples);
    const first = last + (place.run!.joinsInStep ? 2 : 1);
    const slots = samples.map((sample) => slotOf(sample, this.sampler, first + this.#maxSteps));
    const { order, places } = this.#placesFor(slots);
    let from: Origins;
    try {
      from = await this.#putInPlace(newcomers, slots, { order, places }) ??
        await this.#putAnew(newcomers, slots, { order, places });
    } catch (error) {
      throw this.#refused(samples, error);
    }
    this.#counts.systems += slots.length;
    this.#counts.refills++;
    const joined = from.flatMap((old, at) => old === undefined ? [at] : []);
    const run = place.run!;
    if (run.joinsInStep) {
      for (const at of joined) this.#slots[at]!.isJoining = true;
      return run.join(joined);
    }
    const mask = this.#maskOf(joined);
    const undo = this.#undo;
    this.#undo = () => {
      undo?.();
      this.sampler.giveBack(samples.map(({ index }) => index));
      this.#counts.systems -= slots.length;
    };
    await run.prime(mask, last + 1);
    await run.admitted(mask, last);
  }

  /** Those that cannot join are there again. */
  #refused(samples: readonly Sample[], cause: unknown): unknown {
    const indices = samples.map(({ index }) => index);
    this.sampler.giveBack(indices);
    if (!(cause instanceof RangeError || cause instanceof TypeError)) return cause;
    const Wrong = cause instanceof RangeError ? RangeError : TypeError;
    return new Wrong(`${cause.message} (samples ${indices.join(", ")} were to join)`, { cause });
  }

  #maskOf(places: readonly number[]): Int32Array {
    const mask = new Int32Array(this.#slots.length);
    for (const at of places) mask[at] = 1;
    return mask;
  }

  /** Those that have got their forces in a step have joined. */
  async #join(last: number): Promise<void> {
    const joined = this.#joining;
    for (const at of joined) this.#slots[at]!.isJoining = false;
    await this.#engine.place.run!.admitted(this.#maskOf(joined), last);
  }

  get #joining(): number[] {
    return this.#slots.flatMap(({ isJoining }, at) => isJoining ? [at] : []);
  }

  /** Where each is as large as the one that has left, and nobody else has: all else stays as it is. */
  async #putInPlace(
    newcomers: Batch,
    slots: readonly StreamSlot[],
    { order, places }: Places,
  ): Promise<Origins | undefined> {
    const { place, changing } = this.#engine;
    const left = this.#slots.reduce((sum, { isWritten }) => isWritten ? sum + 1 : sum, 0);
    if (places.length !== slots.length || places.length !== left) return undefined;
    let isPut = false;
    const { state } = place.run!;
    changing({}, () => {
      const first = newcomers.select(order);
      if (!state.canReplace(first, places)) return;
      overwrite(this.batch, first, places);
      isPut = true;
    });
    if (!isPut) return undefined;
    for (const [i, at] of places.entries()) this.#slots[at] = slots[order[i]!]!;
    const from = this.#slots.map((_, at) => places.includes(at) ? undefined : at);
    await place.change(from, true);
    return from;
  }

  /** In any case: a new batch, to which those that stay take along all that is theirs. */
  #putAnew(
    newcomers: Batch,
    slots: readonly StreamSlot[],
    { order, places }: Places,
  ): Promise<Origins> {
    const gone = this.#slots.flatMap((slot, at) =>
      slot.isWritten && !places.includes(at) ? [at] : []
    );
    return this.#change(() => {
      const from: (number | undefined)[] = this.#slots.map((_, at) =>
        places.includes(at) ? undefined : at
      );
      if (places.length > 0) this.batch.put(newcomers.select(order), places);
      for (const [i, at] of places.entries()) this.#slots[at] = slots[order[i]!]!;
      const rest = slots.flatMap((_, i) => order.includes(i) ? [] : [i]);
      if (rest.length > 0) {
        this.batch.append(newcomers.select(rest));
        this.#slots.push(...rest.map((i) => slots[i]!));
        from.push(...rest.map(() => undefined));
      }
      if (gone.length > 0) this.batch.drop(gone);
      for (const at of gone.toReversed()) [this.#slots, from].forEach((list) => list.splice(at, 1));
      return from;
    });
  }

  /** Which of those that join come to which places of those that have left: as many as can where one as large was. */
  #placesFor(slots: readonly StreamSlot[]): Places {
    const free = this.#slots.flatMap((slot, at) => slot.isWritten ? [at] : []);
    const waiting = slots.map((_, i) => i);
    const order: number[] = [], places: number[] = [];
    const pair = (holds: (at: number, i: number) => boolean) => {
      for (const at of [...free]) {
        const i = waiting.findIndex((one) => holds(at, one));
        if (i === -1) continue;
        places.push(at);
        order.push(...waiting.splice(i, 1));
        free.splice(free.indexOf(at), 1);
      }
    };
    pair((at, i) => this.#slots[at]!.atoms === slots[i]!.atoms);
    pair(() => true);
    return { order, places };
  }

  /** Changes which systems there are; answers with where each was. Where that fails all is as it was. */
  async #change(work: () => Origins): Promise<Origins> {
    const { place, changing } = this.#engine;
    const home = await place.run!.state.download();
    const before = [...this.#slots];
    let from: Origins = [];
    let restore = () => {};
    const undo = () => {
      restore();
      this.#slots.splice(0, Infinity, ...before);
    };
    this.#undo = () => changing({}, undo);
    try {
      changing(home, () => {
        restore = restorePoint(this.batch);
        from = work();
      });
      await place.change(from, false);
    } catch (error) {
      this.#undo();
      this.#undo = undefined;
      throw error;
    }
    return from;
  }
}

/** The place that each system had before; `undefined` for those that have joined. */
type Origins = readonly (number | undefined)[];

/** Who comes to which place. */
interface Places {
  /** Which of those that join. */
  readonly order: readonly number[];
  /** The place of each. */
  readonly places: readonly number[];
}

/** When one system in so many waits to be written, the batch is refilled. */
const SHARE = 12;

/** Is it done, and no sink has it? */
function isWaiting({ restedAt, isWritten }: StreamSlot): boolean {
  return restedAt >= 0 && !isWritten;
}

const NOTHING: StreamCounts = {
  ...{ systems: 0, graduated: 0, converged: 0, steps: 0, refills: 0 },
  ...{ filled: 0, fillable: 0 },
};

function slotOf({ index, system }: Sample, sampler: SizeAwareSampler, endsAt: number): StreamSlot {
  return {
    ...{ index, atoms: system.nodeCount, edges: sampler.edgesOf(index), endsAt },
    ...{ restedAt: -1, hasConverged: false, isWritten: false, isJoining: false },
  };
}

/** Samples as a batch: each is called as its place in the source says, wherever and whenever it joins. */
function batchOf(samples: readonly Sample[]): Batch {
  const batch = Batch.from(samples.map(({ system }) => system));
  const indices = samples.map(({ index }) => index);
  batch.set("systemId", indices);
  batch.set("sourceIndex", indices, { level: "system", dtype: "i32", fill: -1 });
  if (batch.has("status")) batch.set("status", 0);
  return batch;
}
