/**
 * Batches of one epoch after another, from any place on.
 *
 * @module
 */

import type { NamedBatch, NamedData } from "../data/named_data.ts";

/** The batches of an epoch that are left. It is always one ahead, and so knows which is the last. */
export class EpochReader {
  readonly #batches: AsyncIterator<NamedBatch>;
  #next: IteratorResult<NamedBatch> | undefined;
  #from: number;

  constructor(data: NamedData, epoch: number, from: number) {
    this.#batches = data.batches(epoch, from)[Symbol.asyncIterator]();
    this.#from = from;
  }

  /** Batches of the epoch that were taken. */
  get taken(): number {
    return this.#from;
  }

  /** Has the epoch no more batches? */
  async isDone(): Promise<boolean> {
    this.#next ??= await this.#batches.next();
    return this.#next.done === true;
  }

  /** The next batches, as many as there are, up to `most`. */
  async take(most: number): Promise<NamedBatch[]> {
    const taken: NamedBatch[] = [];
    while (taken.length < most && !await this.isDone()) {
      taken.push((this.#next as IteratorYieldResult<NamedBatch>).value);
      this.#next = undefined;
    }
    this.#from += taken.length;
    return taken;
  }

  /** Lets the source close what it has open. */
  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}
