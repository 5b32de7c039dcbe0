/**
 * Correlations of all systems that a hook sees.
 *
 * @module
 */

import { type Correlate, type Correlated, Correlation } from "./correlation.ts";
import type { CheckedCorrelation } from "./correlation_options.ts";
import { placesOf } from "../atoms/element_choice.ts";
import { ObservedSystems, type SavedSystems } from "./observed_systems.ts";
import { assertTimed } from "../atoms/timed.ts";

/** What of a step says which systems there are, and when. */
interface Seen {
  readonly batch: { readonly size: number; readonly nodeOffsets: Int32Array };
  readonly read: {
    readonly systemId: ArrayLike<number>;
    readonly time: ArrayLike<number>;
    readonly numbers: ArrayLike<number>;
  };
}

/** The correlations of systems, by their `systemId`. Those that are no longer there keep what they have come to alone. */
export class CorrelatedSystems {
  readonly #hook: string;
  readonly #element: number | undefined;
  readonly #make: (atoms: number) => Correlation;
  readonly #systems: ObservedSystems<Correlation>;
  /** Those that were there at the last sample. */
  #present: ReadonlySet<number> = new Set();

  constructor(hook: string, { window, element }: CheckedCorrelation, correlate: Correlate) {
    this.#hook = hook;
    this.#element = element;
    this.#make = (atoms) => new Correlation(atoms, window, correlate);
    this.#systems = new ObservedSystems(
      hook,
      (saved) => Correlation.restore(saved, window, correlate),
    );
  }

  /** Takes a sample: `valuesOf` gives three numbers for each of some atoms of a system. Throws where steps take no time. */
  sample(
    { batch: { size, nodeOffsets }, read }: Seen,
    valuesOf: (system: number, places: Int32Array) => Float64Array,
  ): void {
    assertTimed(this.#hook, read.time);
    const present = new Set<number>();
    const numbers = this.#element === undefined ? undefined : read.numbers;
    for (let s = 0; s < size; s++) {
      const places = placesOf(numbers, nodeOffsets[s]!, nodeOffsets[s + 1]!, this.#element);
      if (places.length === 0) continue;
      const id = read.systemId[s]!, atoms = places.length;
      const fits = (one: Correlation) => one.atoms === atoms;
      this.#systems.of(id, () => this.#make(atoms), fits).add(read.time[s]!, valuesOf(s, places));
      present.add(id);
    }
    for (const id of this.#present) if (!present.has(id)) this.#systems.get(id)?.pause();
    this.#present = present;
  }

  /** What there is so far, of each system in the order in which they came. */
  results(): readonly (Correlated & { readonly systemId: number })[] {
    return this.#systems.all().map(([systemId, one]) => ({ systemId, ...one.result }));
  }

  /** Forgets all. */
  clear(): void {
    this.#systems.clear();
  }

  /** Plain data. */
  save(): SavedSystems {
    return this.#systems.save();
  }

  /** Takes back what `save` gave. Throws a TypeError for anything else, and nothing has changed then. */
  load(state: unknown): void {
    this.#systems.load(state);
    const there = this.#systems.all().filter(([, { isPaused }]) => !isPaused);
    this.#present = new Set(there.map(([id]) => id));
  }
}
