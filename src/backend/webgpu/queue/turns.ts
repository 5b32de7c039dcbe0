/** Knowledge of a queue that decides when work may begin. */
export interface TurnsHost {
  /** True if something before may still have to be repeated. */
  readonly isUnsure: boolean;
  /** Settled when the repetition under way is done; `undefined` if there is none. */
  readonly repeating: Promise<void> | undefined;
  /** Asks the device how all runs ended, after which nothing is unsure. */
  confirm(): Promise<unknown>;
  /** Keeps an error for everything that comes after. */
  fail(error: Error): void;
}

/** Work that waits for its turn. */
interface Turn {
  readonly work: () => void;
  /** True if the work cannot be repeated, so that everything before it must be done for good. */
  readonly isFinal: boolean;
}

/** Order of the work on a device: first come, first served, though some of it must wait for news of the device. */
export class Turns {
  readonly #host: TurnsHost;
  readonly #waiting: Turn[] = [];
  #isDraining = false;

  constructor(host: TurnsHost) {
    this.#host = host;
  }

  /** Does work now, or after everything that waits already. Final work also waits until nothing before it is unsure. */
  order(work: () => void, isFinal: boolean = false): void {
    const isNow = this.#waiting.length === 0 && this.#host.repeating === undefined;
    if (isNow && !(isFinal && this.#host.isUnsure)) return work();
    this.#waiting.push({ work, isFinal });
    void this.#drain();
  }

  /** Orders work that takes time. Later work begins without waiting for it to settle. */
  take<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.order(() => void work().then(resolve, reject)));
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    const host = this.#host, waiting = this.#waiting;
    try {
      while (waiting.length > 0) {
        // One repetition may find another list too short, and begin the next.
        while (host.repeating !== undefined) await host.repeating;
        if (host.isUnsure) await host.confirm();
        do waiting.shift()?.work(); while (
          waiting.length > 0 && !(waiting[0]!.isFinal && host.isUnsure)
        );
      }
    } catch (error) {
      host.fail(error as Error);
      for (const { work } of waiting.splice(0)) work(); // each rejects with the error just kept
    } finally {
      this.#isDraining = false;
    }
  }
}
