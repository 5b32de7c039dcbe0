/**
 * Work that is to be done between two steps.
 *
 * @module
 */

/** Pieces of work that wait for the step under way to end. */
export class Between {
  #waiting: { readonly work: () => Promise<void>; readonly drop: (error: unknown) => void }[] = [];

  /** Is there none? */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Adds a piece. What it comes to, or throws, is its own. */
  add<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const doing = async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ work: doing, drop: reject });
    });
  }

  /** Does all of it, in order. */
  async workOff(): Promise<void> {
    while (this.#waiting.length > 0) await this.#waiting.shift()!.work();
  }

  /** There will be no such moment any more: `cause` says why, if something went wrong. */
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
