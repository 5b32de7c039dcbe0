/**
 * How fast a run goes, and how long it will take.
 *
 * @module
 */

/** What a {@linkcode Pace} goes by. */
export interface PaceOptions {
  /** How many steps a run is to have, if anybody knows. */
  readonly nSteps: number | undefined;
  /** The time, ms. */
  readonly now: () => number;
}

/** Steps by the clock. */
export class Pace {
  readonly #options: PaceOptions;
  #begun = { step: 0, time: 0 };
  #last = { step: 0, time: 0 };

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** A run begins, with so many steps done. */
  open(step: number): void {
    this.#begun = this.#last = { step, time: this.#options.now() };
  }

  /** What is known when so many steps are done: the speed since it was last asked, the time left by that of all. */
  at(kind: string, step: number): Record<string, number> {
    const { nSteps } = this.#options, now = { step, time: this.#options.now() };
    const found: Record<string, number> = {};
    const lately = speed(this.#last, now), onAverage = speed(this.#begun, now);
    if (now.step > this.#last.step) {
      this.#last = now;
      if (lately !== undefined) found[`${kind}/steps_per_s`] = lately;
    }
    if (nSteps === undefined) return found;
    const left = Math.max(0, this.#begun.step + nSteps - step);
    found[`${kind}/target_steps`] = this.#begun.step + nSteps;
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

/** Steps a second; `undefined` where there were none, or no time has passed. */
function speed(from: Moment, to: Moment): number | undefined {
  const steps = to.step - from.step, seconds = (to.time - from.time) / 1000;
  return steps > 0 && seconds > 0 ? steps / seconds : undefined;
}
