/**
 * The batches of a source, remembered so that it can split them.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { TrainingBatch } from "./data_source.ts";

/** Remembers for each batch of a source the value that it was made of. */
export class OwnBatches<T> {
  // Weak, and by the feeds: batches may be copied, and are not kept alive.
  readonly #values = new WeakMap<object, T>();

  /** Remembers the value that a batch with these feeds was made of. */
  add(feeds: TrainingBatch["feeds"], value: T): void {
    this.#values.set(feeds, value);
  }

  /**
   * Returns the value that a batch was made of.
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
