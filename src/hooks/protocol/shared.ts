/** A typed place in {@linkcode Shared}; made by {@linkcode slot}. Two slots of one name are two places. */
export interface Slot<T> {
  /** For messages and listings. */
  readonly slot: string;
  /** What `get` answers before anything was set. */
  readonly initial: T | undefined;
}

/**
 * Makes a slot through which hooks talk to each other.
 *
 * @example A producer and a consumer
 * ```ts
 * import { Shared, slot } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const importantMetric = slot<number>("importantMetric");
 * const shared = new Shared();
 * shared.set(importantMetric, 0.95);
 * assertEquals(shared.get(importantMetric), 0.95);
 * ```
 */
export function slot<T>(name: string, initial?: T): Slot<T> {
  return Object.freeze({ slot: name, initial });
}

/** The store behind `ctx.shared`: one per engine, typed by its slots. */
export class Shared {
  readonly #values = new Map<unknown, unknown>();

  /** The value of a slot: what was set last, else its initial value, else `undefined`. */
  get<T>(slot: Slot<T>): T | undefined {
    return this.#values.has(slot) ? this.#values.get(slot) as T : slot.initial;
  }

  /** Sets a slot. */
  set<T>(slot: Slot<T>, value: T): void {
    this.#values.set(slot, value);
  }
}
