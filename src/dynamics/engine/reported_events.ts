/**
 * Who has been told of.
 *
 * @module
 */

/**
 * The systems of a batch that hooks have been told of as converged, since the state that a run would go on from if its
 * device were lost: when these steps are done again, nobody is told twice.
 */
export class Told {
  /** The same of systems that have come to another stage. */
  get comers(): Told {
    return this.#comers ??= new Told();
  }

  #comers: Told | undefined;
  /** Place → how often: in a run of stages it is once for each. */
  readonly #places = new Map<number, number>();

  /** Notes what hooks have been told: 1 for each system. */
  note(mask: ArrayLike<number>): void {
    for (let s = 0; s < mask.length; s++) {
      if (mask[s] !== 0) this.#places.set(s, (this.#places.get(s) ?? 0) + 1);
    }
  }

  /** Forgets all. */
  clear(): void {
    this.#places.clear();
    this.#comers?.clear();
  }

  /** Of these systems, those that hooks have been told of already, if there are any; from now on they are news again. */
  take(mask: ArrayLike<number>): Int32Array | undefined {
    if (this.#places.size === 0) return undefined;
    const known = Int32Array.from(mask, (one, s) => one !== 0 && this.#remove(s) ? 1 : 0);
    return known.includes(1) ? known : undefined;
  }

  /** Once less; was it told of at all? */
  #remove(place: number): boolean {
    const times = this.#places.get(place) ?? 0;
    if (times > 1) this.#places.set(place, times - 1);
    else this.#places.delete(place);
    return times > 0;
  }
}
