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
  readonly #places = new Set<number>();

  /** Notes what hooks have been told: 1 for each system. */
  note(mask: ArrayLike<number>): void {
    for (let s = 0; s < mask.length; s++) if (mask[s] !== 0) this.#places.add(s);
  }

  /** Forgets all. */
  clear(): void {
    this.#places.clear();
  }

  /** Of these systems, those that hooks have been told of already, if there are any; from now on they are news again. */
  take(mask: ArrayLike<number>): Int32Array | undefined {
    if (this.#places.size === 0) return undefined;
    const known = Int32Array.from(mask, (one, s) => one !== 0 && this.#places.delete(s) ? 1 : 0);
    return known.includes(1) ? known : undefined;
  }
}
