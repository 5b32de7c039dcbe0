/**
 * Reader of the batches of an epoch, which may begin at any batch.
 *
 * @module
 */

import type { NamedBatch, NamedData } from "../data/named_data.ts";

/** Reads the remaining batches of an epoch. It reads one batch ahead, so that it knows which batch is the last. */
export class EpochReader {
  readonly #batches: AsyncIterator<NamedBatch>;
  #next: IteratorResult<NamedBatch> | undefined;
  #from: number;

  constructor(data: NamedData, epoch: number, from: number) {
    this.#batches = data.batches(epoch, from)[Symbol.asyncIterator]();
    this.#from = from;
  }

  /** Index of the next batch in the epoch: the number of batches that were taken or skipped. */
  get taken(): number {
    return this.#from;
  }

  /** Returns whether the epoch has no more batches. */
  async isDone(): Promise<boolean> {
    this.#next ??= await this.#batches.next();
    return this.#next.done === true;
  }

  /** Takes the next batches: at most `most`, fewer at the end of the epoch. */
  async take(most: number): Promise<NamedBatch[]> {
    const taken: NamedBatch[] = [];
    while (taken.length < most && !await this.isDone()) {
      taken.push((this.#next as IteratorYieldResult<NamedBatch>).value);
      this.#next = undefined;
    }
    this.#from += taken.length;
    return taken;
  }

  /** Closes the source of the batches. */
  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}
