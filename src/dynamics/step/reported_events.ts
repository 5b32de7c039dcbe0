/**
 * The events that hooks have already received.
 *
 * @module
 */

/**
 * Tracks which systems hooks have received as converged since the last snapshot from which a run can go on. If its device
 * is lost, the run repeats the steps since then, and no event is delivered twice.
 */
export class ReportedEvents {
  /** The same for systems that have changed stage. */
  get stageChanges(): ReportedEvents {
    return this.#stageChanges ??= new ReportedEvents();
  }

  #stageChanges: ReportedEvents | undefined;
  /** Slot → number of events: in a run of stages there is one for each stage. */
  readonly #slots = new Map<number, number>();

  /** Adds the events that hooks have received: 1 for each system. */
  add(mask: ArrayLike<number>): void {
    for (let s = 0; s < mask.length; s++) {
      if (mask[s] !== 0) this.#slots.set(s, (this.#slots.get(s) ?? 0) + 1);
    }
  }

  /** Forgets all events. */
  clear(): void {
    this.#slots.clear();
    this.#stageChanges?.clear();
  }

  /**
   * Removes one event of each of these systems, and returns a mask of those that had one; `undefined` if no system had
   * one.
   */
  take(mask: ArrayLike<number>): Int32Array | undefined {
    if (this.#slots.size === 0) return undefined;
    const known = Int32Array.from(mask, (one, s) => one !== 0 && this.#remove(s) ? 1 : 0);
    return known.includes(1) ? known : undefined;
  }

  /** Removes one event, and returns whether there was one. */
  #remove(slot: number): boolean {
    const count = this.#slots.get(slot) ?? 0;
    if (count > 1) this.#slots.set(slot, count - 1);
    else this.#slots.delete(slot);
    return count > 0;
  }
}

/** Returns a mask without the systems of another mask. */
export function without(mask: Int32Array, known: Int32Array | undefined): Int32Array {
  return known === undefined ? mask : mask.map((one, s) => known[s] === 0 ? one : 0);
}
