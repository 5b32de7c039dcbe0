/**
 * The names of the hooks of one registry.
 *
 * @module
 */

/**
 * A set of names that finds the first free number of a label without trying those below it each time: 2,000 hooks of
 * one class would otherwise cost two million lookups.
 */
export class HookNames {
  readonly #taken = new Set<string>();
  /** By label, a number below which none is free. */
  readonly #from = new Map<string, number>();

  /** Returns whether a hook has the name. */
  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Takes a name. */
  add(name: string): void {
    this.#taken.add(name);
  }

  /** Gives a name back; it is the next one that its label gets. */
  delete(name: string): void {
    this.#taken.delete(name);
    this.#from.clear();
  }

  /** Returns the first free name of a label: itself, or with a number from 2 on. */
  free(label: string): string {
    if (!this.has(label)) return label;
    for (let n = this.#from.get(label) ?? 2;; n++) {
      const name = `${label}-${n}`;
      if (this.has(name)) continue;
      this.#from.set(label, n);
      return name;
    }
  }
}
