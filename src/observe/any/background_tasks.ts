/**
 * Work beside a run that must not hold it up.
 *
 * @module
 */

/** Something to be done; to be given up when the signal says so. */
export type Errand = (signal: AbortSignal) => Promise<void>;

/** Does one thing after the other in the background, a few of them waiting at most, and remembers what went wrong. */
export class Errands {
  readonly #action: string;
  readonly #most: number;
  readonly #given = new AbortController();
  /** What is not done yet, in order. */
  readonly #left: Promise<void>[] = [];
  #attempted = 0;
  #errors: unknown[] = [];

  /** `action`, as in "send a notification", is what its errors say could not be done. */
  constructor(action: string, most: number) {
    this.#action = action;
    this.#most = most;
  }

  /** Is all done? */
  get isIdle(): boolean {
    return this.#left.length === 0;
  }

  /** Waits until there is room for one more. */
  async room(): Promise<void> {
    while (this.#left.length >= this.#most) await this.#left[0];
  }

  /** Takes one more; where there is no room for it that is what went wrong. */
  push(errand: Errand): void {
    this.#attempted++;
    if (this.#left.length >= this.#most) {
      this.#errors.push(
        new Error(`Cannot ${this.#action}: no more than ${this.#most} may wait: it is dropped`),
      );
      return;
    }
    const before = this.#left.at(-1) ?? Promise.resolve();
    const done = before
      .then(() => errand(this.#given.signal))
      .catch((error) => void this.#errors.push(error))
      .then(() => void this.#left.shift());
    this.#left.push(done);
  }

  /** Throws what went wrong since it was last asked. */
  check(): void {
    const errors = this.#errors;
    if (errors.length === 0) return;
    const attempted = this.#attempted;
    [this.#errors, this.#attempted] = [[], 0];
    throw new Error(
      `Cannot ${this.#action}: every one must be done: ${errors.length} of ${attempted} failed: ${
        errors[0] instanceof Error ? errors[0].message : String(errors[0])
      }`,
      { cause: errors.length === 1 ? errors[0] : new AggregateError(errors) },
    );
  }

  /** Waits until all is done, so many seconds at most: what is left then is given up. Throws what went wrong. */
  async finish(seconds: number = Infinity): Promise<void> {
    const late = () => this.#given.abort(new Error("the run is over"));
    const timer = seconds < Infinity ? setTimeout(late, seconds * 1000) : undefined;
    try {
      await this.#left.at(-1);
    } finally {
      clearTimeout(timer);
    }
    this.check();
  }
}

/** Does something, and gives up when it takes longer than so many seconds, or the signal says so. */
export async function within(
  seconds: number,
  work: (signal: AbortSignal) => PromiseLike<void>,
  given: AbortSignal,
): Promise<void> {
  const controller = new AbortController(), { signal } = controller;
  const giveUp = () => controller.abort(given.reason);
  const late = () => controller.abort(new Error(`it took longer than ${seconds} s`));
  if (given.aborted) giveUp();
  given.addEventListener("abort", giveUp);
  const timer = setTimeout(late, seconds * 1000);
  try {
    const stopped = new Promise<never>((_, reject) => {
      const stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop);
    });
    await Promise.race([signal.aborted ? stopped : work(signal), stopped]);
  } finally {
    clearTimeout(timer);
    given.removeEventListener("abort", giveUp);
  }
}

/** Waits for some milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
