/**
 * Record of the batches that a source has made, by which it can split them later.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { TrainingBatch } from "./data_source.ts";

/** Remembers the value from which each batch of a source was made. */
export class OwnBatches<T> {
  // The key is the feeds, because batches may be copied. The map is weak, so that it keeps no batch alive.
  readonly #values = new WeakMap<object, T>();

  /** Remembers the value from which the batch with these feeds was made. */
  add(feeds: TrainingBatch["feeds"], value: T): void {
    this.#values.set(feeds, value);
  }

  /**
   * Returns the value from which a batch was made.
   *
   * @throws {TypeError} if the batch came from another source
   */
  get(batch: TrainingBatch): T {
    const value = this.#values.get(batch.feeds);
    if (value !== undefined) return value;
    throw new TypeError(
      `Cannot split a batch: it must come from this source; got ${show(batch)}`,
    );
  }
}
