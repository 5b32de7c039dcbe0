/**
 * Correlations of all systems that a hook samples.
 *
 * @module
 */

import { type Correlate, type Correlated, Correlation } from "./correlation.ts";
import type { CheckedCorrelation } from "./correlation_options.ts";
import { atomIndices } from "../atoms/element_choice.ts";
import { ObservedSystems, type SavedSystems } from "./observed_systems.ts";
import { assertTimed } from "../atoms/timed.ts";

/** The part of a context that identifies systems and their times. */
interface Seen {
  readonly batch: { readonly size: number; readonly nodeOffsets: Int32Array };
  readonly read: {
    readonly systemId: ArrayLike<number>;
    readonly time: ArrayLike<number>;
    readonly numbers: ArrayLike<number>;
  };
}

/**
 * Correlations of systems by `systemId`. Systems that left the batch keep their results, but lose their time origins.
 */
export class CorrelatedSystems {
  readonly #hook: string;
  readonly #element: number | undefined;
  readonly #make: (atoms: number) => Correlation;
  readonly #systems: ObservedSystems<Correlation>;
  /** Ids of the systems of the last sample. */
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

  /**
   * Adds a sample of each system. `valuesOf` returns three values for each of the given atoms of a system. Throws an
   * Error if steps take no time.
   */
  sample(
    { batch: { size, nodeOffsets }, read }: Seen,
    valuesOf: (system: number, indices: Int32Array) => Float64Array,
  ): void {
    assertTimed(this.#hook, read.time);
    const present = new Set<number>();
    const numbers = this.#element === undefined ? undefined : read.numbers;
    for (let s = 0; s < size; s++) {
      const indices = atomIndices(numbers, nodeOffsets[s]!, nodeOffsets[s + 1]!, this.#element);
      if (indices.length === 0) continue;
      const id = read.systemId[s]!, atoms = indices.length;
      const fits = (one: Correlation) => one.atoms === atoms;
      this.#systems.of(id, () => this.#make(atoms), fits).add(read.time[s]!, valuesOf(s, indices));
      present.add(id);
    }
    // Origins of systems that have left would take memory, and could not be continued after a gap.
    for (const id of this.#present) if (!present.has(id)) this.#systems.get(id)?.pause();
    this.#present = present;
  }

  /** Returns the results so far of each system, in the order in which systems were first seen. */
  results(): readonly (Correlated & { readonly systemId: number })[] {
    return this.#systems.all().map(([systemId, one]) => ({ systemId, ...one.result }));
  }

  /** Removes all systems. */
  clear(): void {
    this.#systems.clear();
  }

  /** Returns the state for a checkpoint as plain data. */
  save(): SavedSystems {
    return this.#systems.save();
  }

  /** Restores a state that `save` returned. For any other value, throws a TypeError and changes nothing. */
  load(state: unknown): void {
    this.#systems.load(state);
    const existing = this.#systems.all().filter(([, { isPaused }]) => !isPaused);
    this.#present = new Set(existing.map(([id]) => id));
  }
}
