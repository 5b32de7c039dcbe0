/**
 * The results that a device has been asked for and has not delivered yet.
 *
 * @module
 */

/** How far a device may be behind, ms: it always has work, and a request to stop is noticed soon. */
const BEHIND_MS = 100;

/** The pending results of steps, in order. */
export class PendingResults {
  readonly #askedAt: number[] = [];
  readonly #delivered: PromiseLike<void>[] = [];

  /** Adds a result. Returns the first pending one, to be awaited, if that was asked for too long ago. */
  push(delivered: PromiseLike<void>): PromiseLike<void> | undefined {
    const now = performance.now();
    this.#askedAt.push(now);
    this.#delivered.push(delivered);
    delivered.then(() => {
      this.#askedAt.shift();
      this.#delivered.shift();
    });
    return now - this.#askedAt[0]! > BEHIND_MS ? this.#delivered[0] : undefined;
  }
}
