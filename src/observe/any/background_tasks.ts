/**
 * A queue for work in the background, which a run does not wait for.
 *
 * @module
 */

/** A task of the queue. It should give up when the signal aborts. */
export type Errand = (signal: AbortSignal) => Promise<void>;

/**
 * Runs tasks in the background, one after another. The queue has a limit, and errors are kept until `check` throws
 * them.
 */
export class Errands {
  readonly #action: string;
  readonly #most: number;
  readonly #given = new AbortController();
  /** Tasks that have not finished yet, in order. */
  readonly #left: Promise<void>[] = [];
  #attempted = 0;
  #errors: unknown[] = [];

  /** `action` says in error messages what failed, as in "send a notification". */
  constructor(action: string, most: number) {
    this.#action = action;
    this.#most = most;
  }

  /** Returns whether no task is queued or running. */
  get isIdle(): boolean {
    return this.#left.length === 0;
  }

  /** Waits until there is room for one more task. */
  async room(): Promise<void> {
    while (this.#left.length >= this.#most) await this.#left[0];
  }

  /** Queues a task. If the queue is full, the task is dropped, and an error is kept for `check`. */
  push(errand: Errand): void {
    this.#attempted++;
    if (this.#left.length >= this.#most) {
      this.#errors.push(
        new Error(
          `Cannot ${this.#action}: the queue of ${this.#most} is full, and one was dropped`,
        ),
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

  /** Throws the errors since the last call as one error. */
  check(): void {
    const errors = this.#errors;
    if (errors.length === 0) return;
    const attempted = this.#attempted;
    [this.#errors, this.#attempted] = [[], 0];
    throw new Error(
      `Cannot ${this.#action}: ${errors.length} of ${attempted} failed: ${
        errors[0] instanceof Error ? errors[0].message : String(errors[0])
      }`,
      { cause: errors.length === 1 ? errors[0] : new AggregateError(errors) },
    );
  }

  /**
   * Waits until all tasks have finished, for at most `seconds`, then aborts the others. Throws the errors since the
   * last check.
   */
  async finish(seconds: number = Infinity): Promise<void> {
    const late = () => this.#given.abort(new Error("the run has ended"));
    const timer = seconds < Infinity ? setTimeout(late, seconds * 1000) : undefined;
    try {
      await this.#left.at(-1);
    } finally {
      clearTimeout(timer);
    }
    this.check();
  }
}

/** Runs `work`, and rejects if it takes longer than `seconds` or if `given` aborts. */
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
