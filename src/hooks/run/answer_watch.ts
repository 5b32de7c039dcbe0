/**
 * Hooks that do not answer once a run is aborted.
 *
 * @module
 */

/** Longest time of a call that was pending at the abort, ms: the run ends within a second. */
const PENDING_GRACE = 800;

/** Longest time of hooks that store data, and of calls that begin after the abort, ms: they save the run's results. */
const STORING_GRACE = 30_000;

/** A call of a hook that is waited for. */
export interface PendingCall {
  /** Name of the hook. */
  readonly hook: string;
  /** Stage, or `"open"` and the like. */
  readonly stage: string;
  /** True if the hook stores data: then it may take longer. */
  readonly isStoring: boolean;
}

/** Waits for hooks; once a run is aborted not for longer than a grace period. */
export class AnswerWatch {
  readonly #signal: AbortSignal | undefined;
  readonly #step: () => number;
  /** Hooks that did not answer: they are not waited for again, as many of their calls may be in flight. */
  readonly #silent = new Set<string>();

  /** `step` returns the number of steps done. Without a signal, hooks are waited for without end. */
  constructor(signal: AbortSignal | undefined, step: () => number) {
    this.#signal = signal;
    this.#step = step;
  }

  /** Settles as the answer of a hook does. Rejects if the run is aborted and the grace period is over. */
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
        `${grace / 1000} s: the run ends without it. Pass the signal on to what the hook waits for`,
      { cause: this.#signal!.reason },
    );
  }
}
