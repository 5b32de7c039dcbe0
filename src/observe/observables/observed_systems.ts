/**
 * Statistics of each system by its `systemId`, across batches and checkpoints.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** Statistics of one system. */
export interface Collected {
  /** Returns the state as plain data. Arrays are copies. */
  save(): Readonly<Record<string, unknown>>;
}

/** State of the statistics in a checkpoint. */
export interface SavedSystems {
  /** State of each system, in the order in which systems were first seen. */
  readonly systems: readonly Readonly<Record<string, unknown>>[];
}

/** Statistics of all systems: one object of type `T` per `systemId`. */
export class ObservedSystems<T extends Collected> {
  readonly #hook: string;
  readonly #restore: (saved: Readonly<Record<string, unknown>>) => T | undefined;
  #systems = new Map<number, T>();

  /** `restore` creates statistics from a state that `save` returned, and returns `undefined` for any other value. */
  constructor(
    hook: string,
    restore: (saved: Readonly<Record<string, unknown>>) => T | undefined,
  ) {
    this.#hook = hook;
    this.#restore = restore;
  }

  /** Returns the pairs of system id and statistics, in the order in which systems were first seen. */
  all(): readonly (readonly [id: number, collected: T])[] {
    return [...this.#systems];
  }

  /** Returns the statistics of a system; `undefined` if it was not sampled. */
  get(id: number): T | undefined {
    return this.#systems.get(id);
  }

  /**
   * Returns the statistics of a system. If the system has no statistics, or `fits` returns false for them, creates
   * new ones with `make`.
   */
  of(id: number, make: () => T, fits: (existing: T) => boolean): T {
    const existing = this.#systems.get(id);
    if (existing !== undefined && fits(existing)) return existing;
    const made = make();
    this.#systems.set(id, made);
    return made;
  }

  /** Removes all statistics. */
  clear(): void {
    this.#systems.clear();
  }

  /** Returns the state for a checkpoint as plain data. */
  save(): SavedSystems {
    return { systems: this.all().map(([id, one]) => ({ id, ...one.save() })) };
  }

  /** Restores a state that `save` returned. For any other value, throws a TypeError and changes nothing. */
  load(state: unknown): void {
    const list: unknown = isObject(state) ? state.systems : undefined;
    const read = Array.isArray(list) ? list.map((saved) => this.#read(saved)) : [undefined];
    if (read.includes(undefined)) {
      throw new TypeError(
        complaint(`load ${this.#hook}`, "its state must be a result of save()", state),
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

/** Returns whether `saved` has a Float64Array of the given length under each name in `lengths`. */
export function areNumbers(
  saved: Readonly<Record<string, unknown>>,
  lengths: Readonly<Record<string, number>>,
): boolean {
  return Object.entries(lengths).every(([name, length]) => {
    const values = saved[name];
    return values instanceof Float64Array && values.length === length;
  });
}
