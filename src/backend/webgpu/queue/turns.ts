/** State of a queue that decides when work may begin. */
export interface TurnsHost {
  /** True if earlier work may still have to be repeated. */
  readonly isUnsure: boolean;
  /** Promise that settles when the current repetition is done; `undefined` outside a repetition. */
  readonly repeating: Promise<void> | undefined;
  /** Asks the device for the results of all runs. When the promise resolves, all of them are final. */
  confirm(): Promise<unknown>;
  /** Records an error, with which all later work fails. */
  fail(error: Error): void;
}

/** Work that waits for its turn. */
interface Turn {
  readonly work: () => void;
  /** True if the work cannot be repeated, so that all work before it must be final. */
  readonly isFinal: boolean;
}

/**
 * The order of the work on a device: first in, first out.
 *
 * Work usually begins at once. It waits in two cases: if a repetition is running, because the repeated work comes
 * first, or if it cannot be repeated and earlier work is not final.
 */
export class Turns {
  readonly #host: TurnsHost;
  readonly #waiting: Turn[] = [];
  #isDraining = false;

  constructor(host: TurnsHost) {
    this.#host = host;
  }

  /** Calls `work` now, or after all waiting work. With `isFinal`, it also waits until all work before it is final. */
  order(work: () => void, isFinal: boolean = false): void {
    const isNow = this.#waiting.length === 0 && this.#host.repeating === undefined;
    if (isNow && !(isFinal && this.#host.isUnsure)) return work();
    this.#waiting.push({ work, isFinal });
    void this.#drain();
  }

  /**
   * Calls asynchronous work in its turn, and returns a promise of its result. Later work begins without waiting for
   * this promise.
   */
  take<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.order(() => void work().then(resolve, reject)));
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    const host = this.#host, waiting = this.#waiting;
    try {
      while (waiting.length > 0) {
        // During a repetition, another list may be too short, which begins the next repetition.
        while (host.repeating !== undefined) await host.repeating;
        if (host.isUnsure) await host.confirm();
        do waiting.shift()?.work(); while (
          waiting.length > 0 && !(waiting[0]!.isFinal && host.isUnsure)
        );
      }
    } catch (error) {
      host.fail(error as Error);
      for (const { work } of waiting.splice(0)) work(); // each of them fails with the recorded error
    } finally {
      this.#isDraining = false;
    }
  }
}
