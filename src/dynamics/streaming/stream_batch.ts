/**
 * The batch of a stream: the system in each slot, and the replacement of systems.
 *
 * @module
 */

import { Batch, overwrite, restorePoint } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { stamped } from "../../batch/sample_stamps.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import type { BufferType } from "../../kernels/kernel.ts";
import type { BatchPlace } from "../engine/batch_place.ts";
import type { DynamicsKind } from "../engine/dynamics_options.ts";
import type { Room, Sample, StreamSampler } from "./sampler.ts";
import type { StreamSlot } from "./saved_stream.ts";

/** The members of an engine that a stream uses. */
export interface StreamEngine {
  /** Name of the engine in errors. */
  readonly name: string;
  /** The loop, which counts steps and calls hooks. */
  readonly loop: Loop<DynamicsKind>;
  /** The batch on its device. */
  readonly place: BatchPlace;
  /**
   * Releases the batch while `work` replaces its systems. `home` has the values of fields that are copied to the
   * batch before.
   */
  changing(home: Readonly<Record<string, NumericArray>>, work: () => void): void;
  /** Returns whether an error means that a device is lost and the run can continue on another backend. */
  isLost(error: unknown): boolean;
}

/** The systems in the batch of a stream. */
export class StreamBatch {
  /** The batch on the host. */
  readonly batch: Batch;
  /** The system in each slot. */
  readonly slots: StreamSlot[];
  readonly #engine: StreamEngine;
  readonly #sampler: StreamSampler;
  /** Undoes the changes since `settle`; `undefined` if nothing has changed. */
  #undo: (() => void) | undefined;

  /** Creates the content of a batch. The list `slots` is copied. */
  constructor(
    engine: StreamEngine,
    sampler: StreamSampler,
    { batch, slots }: { readonly batch: Batch; readonly slots: readonly StreamSlot[] },
  ) {
    this.#engine = engine;
    this.#sampler = sampler;
    this.batch = batch;
    this.slots = slots.map((slot) => ({ ...slot }));
  }

  /** Makes the changes so far permanent, so that they cannot be undone. */
  settle(): void {
    this.#undo = undefined;
  }

  /** Undoes the changes since `settle`. Samples of admitted systems become available again. */
  undo(): void {
    this.#undo?.();
    this.#undo = undefined;
  }

  /** Returns the current state of the systems in some slots, with the step in which each has finished and its time. */
  async frame(places: readonly number[]): Promise<Batch> {
    const { state, clock } = this.#engine.place.run!;
    const names = [...state.fields].filter((name) => this.batch.has(name));
    const seen = await state.backend.viewOrRead(names.map((name) => state.field<BufferType>(name)));
    const known = Object.fromEntries(
      names.map((name, i) => [name, state.toHostIfChanged(name, seen[i]!)]),
    );
    const times = clock.at(known[clock.counter] as Int32Array);
    return stamped(await this.batch.snapshot(places, known), {
      step: places.map((at) => this.slots[at]!.finishedAt),
      time: places.map((at) => times[at]!),
    });
  }

  /** Free room for new systems. Slots of written systems count as free. */
  get room(): Room {
    let { systems, atoms, edges } = this.#sampler.room;
    const freed: number[] = [];
    for (const slot of this.slots) {
      if (slot.isWritten) {
        freed.push(slot.atoms);
        continue;
      }
      systems--;
      atoms -= slot.atoms;
      edges -= slot.edges;
    }
    return { systems, atoms, edges, freed };
  }

  /**
   * True if at least half of the slots, but not all, are empty. Models may spend time on empty slots, but removing
   * them takes time, too.
   */
  get isHalfEmpty(): boolean {
    const left = this.slots.filter(({ isWritten }) => isWritten).length;
    return 2 * left >= this.slots.length && left < this.slots.length;
  }

  /** Removes empty slots from the batch. */
  async compact(): Promise<void> {
    const stay = this.slots.flatMap((slot, at) => slot.isWritten ? [] : [at]);
    await this.#change(() => {
      this.batch.drop(this.slots.map(({ isWritten }) => isWritten));
      this.slots.splice(0, Infinity, ...stay.map((at) => this.slots[at]!));
      return stay;
    });
  }

  /**
   * Admits systems, which are finished at the latest when the engine has done `endsAt` steps. Returns their slots. If
   * it fails, the batch does not change, and the samples become available again.
   */
  async admit(samples: readonly Sample[], endsAt: number): Promise<number[]> {
    try {
      const admitted = batchOf(samples, this.#sampler);
      const slots = samples.map((sample) => slotOf(sample, this.#sampler, endsAt));
      const places = this.#placesFor(slots);
      const from = this.#putInPlace(admitted, slots, places) ??
        await this.#putAnew(admitted, slots, places);
      const undo = this.#undo;
      this.#undo = () => {
        undo?.();
        this.#sampler.giveBack(samples.map(({ index }) => index));
      };
      return from.flatMap((old, at) => old === undefined ? [at] : []);
    } catch (error) {
      throw this.#refused(samples, error);
    }
  }

  /** Makes samples that cannot be admitted available again. Returns the error to throw, which names them. */
  #refused(samples: readonly Sample[], cause: unknown): unknown {
    const indices = samples.map(({ index }) => index);
    this.#sampler.giveBack(indices);
    if (!(cause instanceof RangeError || cause instanceof TypeError)) return cause;
    const Wrong = cause instanceof RangeError ? RangeError : TypeError;
    return new Wrong(`${cause.message} (while admitting samples ${indices.join(", ")})`, { cause });
  }

  /**
   * Overwrites all empty slots with new systems of the same sizes. Returns `undefined` without a change if the sizes
   * differ, a slot would stay empty, or the backend cannot replace the systems.
   */
  #putInPlace(
    admitted: Batch,
    slots: readonly StreamSlot[],
    { order, places }: Places,
  ): Origins | undefined {
    const { place, changing } = this.#engine;
    const left = this.slots.reduce((sum, { isWritten }) => isWritten ? sum + 1 : sum, 0);
    if (places.length !== slots.length || places.length !== left) return undefined;
    let isPut = false;
    const { state } = place.run!;
    changing({}, () => {
      const first = admitted.select(order);
      if (!state.canReplace(first, places)) return;
      overwrite(this.batch, first, places);
      isPut = true;
    });
    if (!isPut) return undefined;
    for (const [i, at] of places.entries()) this.slots[at] = slots[order[i]!]!;
    const from = this.slots.map((_, at) => places.includes(at) ? undefined : at);
    place.replace(from.flatMap((old, at) => old === undefined ? [at] : []));
    return from;
  }

  /** Rebuilds the batch with the new systems. The other systems keep their state. */
  #putAnew(
    admitted: Batch,
    slots: readonly StreamSlot[],
    { order, places }: Places,
  ): Promise<Origins> {
    const gone = this.slots.flatMap((slot, at) =>
      slot.isWritten && !places.includes(at) ? [at] : []
    );
    return this.#change(() => {
      const from: (number | undefined)[] = this.slots.map((_, at) =>
        places.includes(at) ? undefined : at
      );
      if (places.length > 0) this.batch.put(admitted.select(order), places);
      for (const [i, at] of places.entries()) this.slots[at] = slots[order[i]!]!;
      const rest = slots.flatMap((_, i) => order.includes(i) ? [] : [i]);
      if (rest.length > 0) {
        this.batch.append(admitted.select(rest));
        this.slots.push(...rest.map((i) => slots[i]!));
        from.push(...rest.map(() => undefined));
      }
      if (gone.length > 0) this.batch.drop(gone);
      for (const at of gone.toReversed()) [this.slots, from].forEach((list) => list.splice(at, 1));
      return from;
    });
  }

  /**
   * Assigns empty slots to new systems, first to systems with as many atoms as the slot had. Systems without a slot
   * are appended later.
   */
  #placesFor(slots: readonly StreamSlot[]): Places {
    const free = this.slots.flatMap((slot, at) => slot.isWritten ? [at] : []);
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
    pair((at, i) => this.slots[at]!.atoms === slots[i]!.atoms);
    pair(() => true);
    return { order, places };
  }

  /**
   * Runs `work`, which changes the systems of the batch, and uploads the batch again. Returns the previous slot of
   * each system. If this fails, the batch does not change.
   */
  async #change(work: () => Origins): Promise<Origins> {
    const { place, changing } = this.#engine;
    const home = await place.run!.state.download();
    const before = [...this.slots];
    let from: Origins = [];
    let restore = () => {};
    const undo = () => {
      restore();
      this.slots.splice(0, Infinity, ...before);
    };
    this.#undo = () => changing({}, undo);
    try {
      changing(home, () => {
        restore = restorePoint(this.batch);
        from = work();
      });
      await place.rebuild(from);
    } catch (error) {
      this.undo();
      throw error;
    }
    return from;
  }
}

/** Previous slot of each system, or `undefined` for a new system. */
type Origins = readonly (number | undefined)[];

/** Assignment of new systems to slots. */
interface Places {
  /** Indices of the new systems that get a slot. */
  readonly order: readonly number[];
  /** Slot of each system in `order`. */
  readonly places: readonly number[];
}

/** Returns whether a system has finished and is not written yet. */
export function isWaiting({ finishedAt, isWritten }: StreamSlot): boolean {
  return finishedAt >= 0 && !isWritten;
}

/** Returns the slot data of a new system, which is finished at the latest when the engine has done `endsAt` steps. */
export function slotOf(
  { index, system }: Sample,
  sampler: StreamSampler,
  endsAt: number,
): StreamSlot {
  return {
    index,
    atoms: system.nodeCount,
    edges: sampler.edgesOf(index),
    endsAt,
    finishedAt: -1,
    hasConverged: false,
    isWritten: false,
    hasDiverged: false,
    isEntering: false,
  };
}

/**
 * Creates a batch from samples. The id of each system is the one that the source gives, otherwise its index there, so it
 * does not depend on when the system is admitted.
 */
export function batchOf(samples: readonly Sample[], sampler: StreamSampler): Batch {
  const batch = Batch.from(samples.map(({ system }) => system));
  const indices = samples.map(({ index }) => index);
  batch.set("systemId", indices.map((index) => sampler.idOf(index)));
  batch.set("sourceIndex", indices, { level: "system", dtype: "i32", fill: -1 });
  if (batch.has("status")) batch.set("status", 0);
  return batch;
}
