/**
 * Speed of a run, and an estimate of its remaining time.
 *
 * @module
 */

/** Options of {@linkcode Pace}. */
export interface PaceOptions {
  /** Number of steps at which the work is done, with those of earlier runs; `undefined` if it is not known. */
  readonly nSteps: number | undefined;
  /** Returns the current time in ms. */
  readonly now: () => number;
}

/** Measures the speed of a run. */
export class Pace {
  readonly #options: PaceOptions;
  #start = { step: 0, time: 0 };
  #last = { step: 0, time: 0 };

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Starts measuring. `step` is the number of steps done when the run begins. */
  open(step: number): void {
    this.#start = this.#last = { step, time: this.#options.now() };
  }

  /**
   * Returns the steps per second since the last call with more steps and, if `nSteps` is known, the target, the
   * remaining steps, the fraction done and the remaining time in s. The keys are `${kind}/steps_per_s`,
   * `${kind}/eta_s` and so on. The remaining time is estimated from the average speed since the run began.
   */
  at(kind: string, step: number): Record<string, number> {
    const { nSteps } = this.#options, now = { step, time: this.#options.now() };
    const found: Record<string, number> = {};
    const lately = speed(this.#last, now), onAverage = speed(this.#start, now);
    if (now.step > this.#last.step) {
      this.#last = now;
      if (lately !== undefined) found[`${kind}/steps_per_s`] = lately;
    }
    if (nSteps === undefined) return found;
    const left = Math.max(0, nSteps - step);
    found[`${kind}/target_steps`] = nSteps;
    found[`${kind}/remaining_steps`] = left;
    found[`${kind}/progress_fraction`] = nSteps === 0 ? 1 : 1 - left / nSteps;
    if (onAverage !== undefined) found[`${kind}/eta_s`] = left / onAverage;
    return found;
  }
}

interface Moment {
  readonly step: number;
  readonly time: number;
}

/** Returns steps per second; `undefined` if no step was done or no time has passed. */
function speed(from: Moment, to: Moment): number | undefined {
  const steps = to.step - from.step, seconds = (to.time - from.time) / 1000;
  return steps > 0 && seconds > 0 ? steps / seconds : undefined;
}
