/**
 * What is collected of each system, by its `systemId`: through whatever batches it goes, and through checkpoints.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** What is collected of one system. */
export interface Collected {
  /** Plain data, copies. */
  save(): Readonly<Record<string, unknown>>;
}

/** What a checkpoint keeps. */
export interface SavedSystems {
  /** One for each system, in the order in which they came. */
  readonly systems: readonly Readonly<Record<string, unknown>>[];
}

/** What is collected of all systems. */
export class ObservedSystems<T extends Collected> {
  readonly #hook: string;
  readonly #restore: (saved: Readonly<Record<string, unknown>>) => T | undefined;
  #systems = new Map<number, T>();

  /** `restore` makes of what `save` gave what it was; nothing of what it cannot be. */
  constructor(
    hook: string,
    restore: (saved: Readonly<Record<string, unknown>>) => T | undefined,
  ) {
    this.#hook = hook;
    this.#restore = restore;
  }

  /** All of them, in the order in which they came. */
  all(): readonly (readonly [id: number, collected: T])[] {
    return [...this.#systems];
  }

  /** That of one system; nothing where there is none. */
  get(id: number): T | undefined {
    return this.#systems.get(id);
  }

  /** That of one system, which is made if there is none that fits. */
  of(id: number, make: () => T, fits: (there: T) => boolean): T {
    const there = this.#systems.get(id);
    if (there !== undefined && fits(there)) return there;
    const made = make();
    this.#systems.set(id, made);
    return made;
  }

  /** Forgets all. */
  clear(): void {
    this.#systems.clear();
  }

  /** Plain data. */
  save(): SavedSystems {
    return { systems: this.all().map(([id, one]) => ({ id, ...one.save() })) };
  }

  /** Takes back what `save` gave. Throws a TypeError for anything else, and nothing has changed then. */
  load(state: unknown): void {
    const list: unknown = isObject(state) ? state.systems : undefined;
    const read = Array.isArray(list) ? list.map((saved) => this.#read(saved)) : [undefined];
    if (read.includes(undefined)) {
      throw new TypeError(
        complaint(`load ${this.#hook}`, "its state must be what save() gave", state),
      );
    }
    this.#systems = new Map(read as [number, T][]);
  }

  #read(saved: unknown): [number, T] | undefined {
    if (!isObject(saved) || typeof saved.id !== "number") return undefined;
    const one = this.#restore(saved as Readonly<Record<string, unknown>>);
    return one === undefined ? undefined : [saved.id, one];
  }
}

/** Are these all arrays of numbers of such lengths? */
export function areNumbers(
  saved: Readonly<Record<string, unknown>>,
  lengths: Readonly<Record<string, number>>,
): boolean {
  return Object.entries(lengths).every(([name, length]) => {
    const values = saved[name];
    return values instanceof Float64Array && values.length === length;
  });
}
