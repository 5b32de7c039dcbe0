/**
 * Decides when the batch of a stream is refilled.
 *
 * @module
 */

import type { StreamSlot } from "./saved_stream.ts";
import { isWaiting, type StreamEngine } from "./stream_batch.ts";

/** The batch is refilled when one in eight of its systems waits to be written. */
const SHARE = 8;

/**
 * Number of steps after which a device is asked again which systems have finished, if admitting systems is
 * cheap.
 */
const ASK = 4;

/** The times at which finished systems are taken out and others admitted. */
export class RefillSchedule {
  readonly #engine: StreamEngine;
  readonly #slots: readonly StreamSlot[];
  readonly #asked: number | undefined;

  /** `asked` is the frequency that the user asked for. */
  constructor(engine: StreamEngine, slots: readonly StreamSlot[], asked: number | undefined) {
    this.#engine = engine;
    this.#slots = slots;
    this.#asked = asked;
  }

  /** True if finished systems are known immediately after each step. */
  get isHost(): boolean {
    return this.#engine.place.run!.state.backend.isHost;
  }

  /** True if a system is still updated. */
  get isAnyActive(): boolean {
    return this.#slots.some(({ finishedAt }) => finishedAt < 0);
  }

  /** True if a system waits to be written. */
  get isAnyWaiting(): boolean {
    return this.#slots.some(isWaiting);
  }

  /** Changing the batch takes time, and so does asking a device; with a visited model each step takes more. */
  get #frequency(): number {
    if (this.#asked !== undefined) return this.#asked;
    return this.isHost && this.#engine.place.run!.admission.isInStep ? 1 : 20;
  }

  get #askFrequency(): number {
    const { isHost, forgetPairs } = this.#engine.place.run!.state.backend;
    const isCheap = !isHost && forgetPairs !== undefined && this.#asked === undefined;
    return isCheap ? ASK : this.#frequency;
  }

  /** Returns whether it is the step for a refill. */
  isTime(last: number): boolean {
    return (last + 1) % this.#frequency === 0;
  }

  /** True if enough systems wait to be written to make a refill worthwhile. */
  get isWorthIt(): boolean {
    if (this.#asked !== undefined) return !this.isAnyActive;
    const waiting = this.#slots.reduce((sum, slot) => isWaiting(slot) ? sum + 1 : sum, 0);
    return SHARE * waiting >= this.#slots.length || !this.isAnyActive;
  }

  /** Returns whether it is the step to ask which systems have finished. */
  isAsking(last: number): boolean {
    return (last + 1) % this.#askFrequency === 0;
  }

  /** Returns whether a system has done all its steps. Asked after each step, so without a new list. */
  hasEnded(last: number): boolean {
    return this.#slots.some((slot) => slot.finishedAt < 0 && slot.endsAt <= last + 1);
  }

  /** Returns the slots of systems that have done all their steps. */
  ended(last: number): number[] {
    return this.#slots.flatMap((slot, at) =>
      slot.finishedAt < 0 && slot.endsAt <= last + 1 ? [at] : []
    );
  }

  /** Returns how many steps can run until systems have to be taken out or admitted. */
  free(stepCount: number): number {
    const toRefill = this.#askFrequency - stepCount % this.#askFrequency;
    let free = !this.isHost || this.isAnyWaiting ? toRefill : Infinity;
    for (const { finishedAt, endsAt } of this.#slots) {
      if (finishedAt < 0) free = Math.min(free, endsAt - stepCount);
    }
    return Math.max(1, free);
  }
}
