/**
 * A queue for work in the background, which a run does not wait for.
 *
 * @module
 */

/** A task of the queue. It should give up when the signal aborts. */
export type BackgroundTask = (signal: AbortSignal) => Promise<void>;

/**
 * Runs tasks in the background, one after another. The queue has a limit, and errors are kept until `check` throws
 * them.
 */
export class TaskQueue {
  readonly #action: string;
  readonly #limit: number;
  readonly #controller = new AbortController();
  /** Tasks that have not finished yet, in order. */
  readonly #pending: Promise<void>[] = [];
  #attempted = 0;
  #errors: unknown[] = [];

  /**
   * Creates a queue of at most `limit` tasks. `action` names the failed action in error messages, such as "send a
   * notification".
   */
  constructor(action: string, limit: number) {
    this.#action = action;
    this.#limit = limit;
  }

  /** True if no task is queued or running. */
  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  /** Waits until the queue can take one more task. */
  async room(): Promise<void> {
    while (this.#pending.length >= this.#limit) await this.#pending[0];
  }

  /** Queues a task. If the queue is full, the task is dropped, and an error is kept for `check`. */
  push(task: BackgroundTask): void {
    this.#attempted++;
    if (this.#pending.length >= this.#limit) {
      this.#errors.push(
        new Error(
          `one was dropped, because ${this.#limit} were waiting`,
        ),
      );
      return;
    }
    // Each task waits for the one before. Errors are caught here, so that a failing task does not reject later ones.
    const before = this.#pending.at(-1) ?? Promise.resolve();
    const done = before
      .then(() => task(this.#controller.signal))
      .catch((error) => void this.#errors.push(error))
      .then(() => void this.#pending.shift());
    this.#pending.push(done);
  }

  /** Throws one error for all tasks that failed since the last call. Does nothing if no task failed. */
  check(): void {
    const errors = this.#errors;
    if (errors.length === 0) return;
    const attempted = this.#attempted;
    [this.#errors, this.#attempted] = [[], 0];
    throw new Error(
      `Cannot ${this.#action}: ${errors.length} of ${attempted} failed, the first with: ${
        errors[0] instanceof Error ? errors[0].message : String(errors[0])
      }`,
      { cause: errors.length === 1 ? errors[0] : new AggregateError(errors) },
    );
  }

  /**
   * Waits until all tasks have finished, for at most `seconds`, then aborts the tasks that are left. Throws the
   * errors since the last check.
   */
  async finish(seconds: number = Infinity): Promise<void> {
    const late = () => this.#controller.abort(new Error("the run has ended"));
    const timer = seconds < Infinity ? setTimeout(late, seconds * 1000) : undefined;
    try {
      await this.#pending.at(-1);
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
    // `work` may ignore its signal, so the race ends the wait in any case.
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
