/**
 * Events that hooks have already received.
 *
 * @module
 */

/**
 * Counts the convergence events that hooks have received since the last snapshot. If the device is lost, the run
 * repeats the steps since the snapshot, and these events are not delivered again.
 */
export class ReportedEvents {
  /** The counts of events of systems that have changed stage. */
  get stageChanges(): ReportedEvents {
    return this.#stageChanges ??= new ReportedEvents();
  }

  #stageChanges: ReportedEvents | undefined;
  /** Number of events by slot. In a fused run a system may have one for each stage. */
  readonly #slots = new Map<number, number>();

  /** Adds one event for each system with a nonzero number in `mask`. */
  add(mask: ArrayLike<number>): void {
    for (let s = 0; s < mask.length; s++) {
      if (mask[s] !== 0) this.#slots.set(s, (this.#slots.get(s) ?? 0) + 1);
    }
  }

  /** Removes all events. */
  clear(): void {
    this.#slots.clear();
    this.#stageChanges?.clear();
  }

  /**
   * Removes one event of each system in `mask`. Returns a mask of the systems that had an event, or `undefined` if no
   * system had one.
   */
  take(mask: ArrayLike<number>): Int32Array | undefined {
    if (this.#slots.size === 0) return undefined;
    const known = Int32Array.from(mask, (one, s) => one !== 0 && this.#remove(s) ? 1 : 0);
    return known.includes(1) ? known : undefined;
  }

  /** Removes one event of a slot. Returns whether there was one. */
  #remove(slot: number): boolean {
    const count = this.#slots.get(slot) ?? 0;
    if (count > 1) this.#slots.set(slot, count - 1);
    else this.#slots.delete(slot);
    return count > 0;
  }
}

/** Returns `mask` without the systems in `known`. */
export function without(mask: Int32Array, known: Int32Array | undefined): Int32Array {
  return known === undefined ? mask : mask.map((one, s) => known[s] === 0 ? one : 0);
}
