/**
 * Work that runs between two steps.
 *
 * @module
 */

/** A queue of work that waits for the step under way to end. */
export class BetweenSteps {
  #waiting: { readonly work: () => Promise<void>; readonly drop: (error: unknown) => void }[] = [];

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Adds work, and returns a promise of its result. An error of it is the caller's: the run goes on. */
  add<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ work: run, drop: reject });
    });
  }

  /** Runs all work, in order. */
  async workOff(): Promise<void> {
    while (this.#waiting.length > 0) await this.#waiting.shift()!.work();
  }

  /** Rejects all work: the run is over; `cause` is the error that ended it. */
  drop(engine: string, cause?: unknown): void {
    const dropped = this.#waiting;
    this.#waiting = [];
    for (const { drop } of dropped) {
      const message =
        `Cannot work between two steps of ${engine} as its run must not be over: it is`;
      drop(new Error(message, cause === undefined ? {} : { cause }));
    }
  }
}
