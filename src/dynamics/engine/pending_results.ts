/**
 * How far a device is behind its host.
 *
 * @module
 */

/** So long a device may be behind, ms: it has something to do always, and whoever asks to stop is heard soon. */
const BEHIND_MS = 100;

/** What a device has been asked and has not told yet, in order. */
export class Backlog {
  readonly #asked: number[] = [];
  readonly #told: PromiseLike<void>[] = [];

  /** Something more. Answers with something to await where what comes first was asked too long ago. */
  push(told: PromiseLike<void>): PromiseLike<void> | undefined {
    const now = performance.now();
    this.#asked.push(now);
    this.#told.push(told);
    told.then(() => {
      this.#asked.shift();
      this.#told.shift();
    });
    return now - this.#asked[0]! > BEHIND_MS ? this.#told[0] : undefined;
  }
}
