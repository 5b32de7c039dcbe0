/**
 * Times at which the batch of a stream is refilled.
 *
 * @module
 */

import type { StreamSlot } from "./saved_stream.ts";
import { isWaiting, type StreamEngine } from "./stream_batch.ts";

/** Inverse of the share of finished systems at which the batch is refilled: one in eight. */
const SHARE = 8;

/** Number of steps after which the finished systems are read from a device again, if admitting systems is cheap. */
const ASK = 4;

/** Decides when finished systems are removed and others admitted. */
export class RefillSchedule {
  readonly #engine: StreamEngine;
  readonly #slots: readonly StreamSlot[];
  readonly #asked: number | undefined;

  /** Creates the schedule. `asked` is the option `refillFrequency`, or `undefined` if it was not given. */
  constructor(engine: StreamEngine, slots: readonly StreamSlot[], asked: number | undefined) {
    this.#engine = engine;
    this.#slots = slots;
    this.#asked = asked;
  }

  /** True if finished systems are known right after each step. */
  get isHost(): boolean {
    return this.#engine.place.run!.state.backend.isHost;
  }

  /** True if at least one system is active. */
  get isAnyActive(): boolean {
    return this.#slots.some(({ finishedAt }) => finishedAt < 0);
  }

  /** True if at least one system has finished and is not written yet. */
  get isAnyWaiting(): boolean {
    return this.#slots.some(isWaiting);
  }

  /**
   * Number of steps between refills: the option `refillFrequency`, if given. Otherwise it is 1 for models that are
   * not made of kernels, because each of their steps takes longer than a change of the batch. For other models, and
   * on devices, it is 20, because changing the batch and asking a device take time.
   */
  get #frequency(): number {
    if (this.#asked !== undefined) return this.#asked;
    return this.isHost && this.#engine.place.run!.admission.isInStep ? 1 : 20;
  }

  get #askFrequency(): number {
    const { isHost, forgetPairs } = this.#engine.place.run!.state.backend;
    const isCheap = !isHost && forgetPairs !== undefined && this.#asked === undefined;
    return isCheap ? ASK : this.#frequency;
  }

  /** Returns whether a refill is scheduled after step `last`. */
  isTime(last: number): boolean {
    return (last + 1) % this.#frequency === 0;
  }

  /** True if enough systems wait to be written that a refill pays off before its scheduled time. */
  get isWorthIt(): boolean {
    if (this.#asked !== undefined) return !this.isAnyActive;
    const waiting = this.#slots.reduce((sum, slot) => isWaiting(slot) ? sum + 1 : sum, 0);
    return SHARE * waiting >= this.#slots.length || !this.isAnyActive;
  }

  /** Returns whether a device is asked after step `last` which systems have finished. */
  isAsking(last: number): boolean {
    return (last + 1) % this.#askFrequency === 0;
  }

  /**
   * Returns whether an active system has done all its steps. It is called after each step, so it does not allocate a
   * list.
   */
  hasEnded(last: number): boolean {
    return this.#slots.some((slot) => slot.finishedAt < 0 && slot.endsAt <= last + 1);
  }

  /** Returns the slots of active systems that have done all their steps. */
  ended(last: number): number[] {
    return this.#slots.flatMap((slot, at) =>
      slot.finishedAt < 0 && slot.endsAt <= last + 1 ? [at] : []
    );
  }

  /**
   * Returns the number of steps that can run until systems must be removed or admitted: at least 1, or Infinity if
   * only convergence ends systems.
   */
  free(stepCount: number): number {
    const toRefill = this.#askFrequency - stepCount % this.#askFrequency;
    let free = !this.isHost || this.isAnyWaiting ? toRefill : Infinity;
    for (const { finishedAt, endsAt } of this.#slots) {
      if (finishedAt < 0) free = Math.min(free, endsAt - stepCount);
    }
    return Math.max(1, free);
  }
}
