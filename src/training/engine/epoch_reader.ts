/**
 * The batches of an epoch, from any batch on.
 *
 * @module
 */

import type { NamedBatch, NamedData } from "../data/named_data.ts";

/** The remaining batches of an epoch. It reads one batch ahead, to know which is the last. */
export class EpochReader {
  readonly #batches: AsyncIterator<NamedBatch>;
  #next: IteratorResult<NamedBatch> | undefined;
  #from: number;

  constructor(data: NamedData, epoch: number, from: number) {
    this.#batches = data.batches(epoch, from)[Symbol.asyncIterator]();
    this.#from = from;
  }

  /** Number of batches of the epoch that were taken. */
  get taken(): number {
    return this.#from;
  }

  /** Returns whether the epoch has no more batches. */
  async isDone(): Promise<boolean> {
    this.#next ??= await this.#batches.next();
    return this.#next.done === true;
  }

  /** Returns the next batches, at most `most`. */
  async take(most: number): Promise<NamedBatch[]> {
    const taken: NamedBatch[] = [];
    while (taken.length < most && !await this.isDone()) {
      taken.push((this.#next as IteratorYieldResult<NamedBatch>).value);
      this.#next = undefined;
    }
    this.#from += taken.length;
    return taken;
  }

  /** Closes the source. */
  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}
