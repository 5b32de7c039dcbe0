/**
 * Measurement of how full the batch of a stream is.
 *
 * @module
 */

import type { StreamSampler } from "./sampler.ts";
import type { StreamCounts, StreamSlot } from "./saved_stream.ts";

/** Sums up how full a batch is in each step. */
export class StreamFilling {
  readonly #sampler: StreamSampler;
  /**
   * Number of steps up to the last one that are not counted yet, because it may not be known which systems finished
   * in them.
   */
  #uncounted = 0;
  #last = -1;

  constructor(sampler: StreamSampler) {
    this.#sampler = sampler;
  }

  /** Number of steps that are not counted yet. */
  get uncounted(): number {
    return this.#uncounted;
  }

  /** Adds `steps` steps up to step `last`. They only count if samples were left. */
  add(steps: number, last: number): void {
    this.#last = last;
    if (!this.#sampler.isDry) this.#uncounted += steps;
  }

  /** Returns to the state of a snapshot after step `last`. */
  goBack(uncounted: number, last: number): void {
    this.#uncounted = uncounted;
    this.#last = last;
  }

  /**
   * Adds the filling of the batch in each uncounted step to `counts.filled`, and the number of these steps to
   * `counts.fillable`. Call it when finished systems are known, and before other systems take their slots.
   */
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
