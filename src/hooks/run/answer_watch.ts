/**
 * Limits how long an aborted run waits for asynchronous hooks.
 *
 * @module
 */

/** Time limit after the abort for a call that was already pending, in ms. It lets the run end within a second. */
const PENDING_GRACE = 800;

/**
 * Time limit after the abort for hooks that store data, and for calls that begin after the abort, in ms. These calls
 * save the results of the run.
 */
const STORING_GRACE = 30_000;

/** A pending call of an asynchronous hook. */
export interface PendingCall {
  /** Name of the hook. */
  readonly hook: string;
  /** The stage of the call, or `"open"` or `"close"`. */
  readonly stage: string;
  /** True if the hook stores data, which allows it more time. */
  readonly isStoring: boolean;
}

/** Waits for asynchronous hooks. Once the run is aborted, it waits for a limited time only. */
export class AnswerWatch {
  readonly #signal: AbortSignal | undefined;
  readonly #step: () => number;
  /** Names of hooks that exceeded the time limit. The run waits for none of their other calls, except `close`. */
  readonly #silent = new Set<string>();

  /**
   * Creates a watch. `step` returns the number of steps done, for messages. If `signal` is undefined, the time is not
   * limited.
   */
  constructor(signal: AbortSignal | undefined, step: () => number) {
    this.#signal = signal;
    this.#step = step;
  }

  /** Settles as `answer` does. Rejects if the run is aborted and the time limit is exceeded. */
  of<T>(answer: PromiseLike<T>, call: PendingCall): PromiseLike<T> {
    const signal = this.#signal;
    if (signal === undefined) return answer;
    return new Promise<T>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const wait = (grace: number) => {
        const giveUp = () => reject(this.#late(call, grace));
        if (call.stage !== "close" && this.#silent.has(call.hook)) giveUp();
        else timer = setTimeout(giveUp, grace);
      };
      const aborted = () => wait(call.isStoring ? STORING_GRACE : PENDING_GRACE);
      if (signal.aborted) wait(STORING_GRACE);
      else signal.addEventListener("abort", aborted, { once: true });
      const answered = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", aborted);
      };
      answer.then((value) => {
        answered();
        resolve(value);
      }, (error) => {
        answered();
        reject(error);
      });
    });
  }

  #late({ hook, stage }: PendingCall, grace: number): Error {
    this.#silent.add(hook);
    return new Error(
      `The run was aborted, but hook ${hook} did not answer at ${stage} of step ${this.#step()} within ` +
        `${
          grace / 1000
        } s, so the run ends without its answer. Pass the run's signal to the work that the hook awaits`,
      { cause: this.#signal!.reason },
    );
  }
}
