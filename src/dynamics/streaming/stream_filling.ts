/**
 * Measures how full the batch of a stream is.
 *
 * @module
 */

import type { SizeAwareSampler } from "./sampler.ts";
import type { StreamCounts, StreamSlot } from "./saved_stream.ts";

/** The filling of a batch over its steps. */
export class StreamFilling {
  readonly #sampler: SizeAwareSampler;
  /** Number of steps, up to the last, of which it may not be known yet which systems finished in them. */
  #uncounted = 0;
  #last = -1;

  /** Counts nothing yet. */
  constructor(sampler: SizeAwareSampler) {
    this.#sampler = sampler;
  }

  /** Steps that are not counted yet. */
  get uncounted(): number {
    return this.#uncounted;
  }

  /** Adds steps, the last of which is given. */
  add(steps: number, last: number): void {
    this.#last = last;
    if (!this.#sampler.isDry) this.#uncounted += steps;
  }

  /** Goes back to a snapshot. */
  goBack(uncounted: number, last: number): void {
    this.#uncounted = uncounted;
    this.#last = last;
  }

  /** Adds up the filling in each of the last steps: once finished systems are known, and before others take their slots. */
  count(slots: readonly StreamSlot[], counts: StreamCounts): void {
    const { maxSystems, maxAtoms, maxEdges } = this.#sampler;
    for (let step = this.#last - this.#uncounted + 1; step <= this.#last; step++) {
      let systems = 0, atoms = 0, edges = 0;
      for (const slot of slots) {
        const hasFinished = slot.finishedAt >= 0 && slot.finishedAt < step;
        if (hasFinished || slot.isEntering) continue;
        systems++;
        atoms += slot.atoms;
        edges += slot.edges;
      }
      counts.filled += Math.max(systems / maxSystems, atoms / maxAtoms, edges / maxEdges);
      counts.fillable++;
    }
    this.#uncounted = 0;
  }
}
