/**
 * The one-cycle policy.
 *
 * @module
 */

import { checkNumber, type NumberRule, POSITIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import type { Schedule } from "./schedule.ts";

/** Options of {@linkcode oneCycle}. */
export interface OneCycleOptions {
  /** Number of optimizer steps of the whole run. */
  readonly steps: number;
  /**
   * Fraction of the steps in which learning rates rise.
   *
   * @default 0.3
   */
  readonly peakAt?: number;
  /**
   * Ratio of the peak learning rate to the first one.
   *
   * @default 25
   */
  readonly divide?: number;
  /**
   * Ratio of the first learning rate to the last.
   *
   * @default 10000
   */
  readonly finalDivide?: number;
  /**
   * The momentum at the peak of the learning rates, and that at both ends. It usually falls as learning rates rise.
   *
   * @default undefined: the momentum of the optimizer does not change
   */
  readonly momentum?: readonly [atPeak: number, atEnds: number];
}

/**
 * Returns a schedule of the one-cycle policy. The `lr` of the optimizer is the learning rate at the peak. The factor
 * rises from `1 / divide` to 1, then falls to `1 / (divide · finalDivide)`, each along half a cosine, and then stays
 * constant. The peak is at step `peakAt · steps − 1`, the end at step `steps − 1`.
 *
 * Smith and Topin, Super-convergence: very fast training of neural networks using large learning rates (2019), with
 * two phases.
 *
 * @throws {TypeError} if an option is unknown or not a number
 * @throws {RangeError} if `peakAt` or a momentum is not from 0 to 1, if `steps` is not a positive integer, or if a
 * ratio is not above 0
 *
 * @example
 * ```ts
 * import { oneCycle } from "@hooke/hooke/training";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const { factor, momentum } = oneCycle({ steps: 10, divide: 10, momentum: [0.85, 0.95] });
 * assertAlmostEquals(factor(0), 0.1);
 * assertAlmostEquals(factor(2), 1);
 * assertAlmostEquals(factor(9), 1e-5);
 * assertAlmostEquals(momentum!(2), 0.85);
 * ```
 */
export function oneCycle(options: OneCycleOptions): Schedule {
  const { steps, peakAt, divide, finalDivide, momentum } = checked(options);
  const along = (step: number, ends: readonly [first: number, peak: number, last: number]) => {
    const peak = peakAt * steps - 1, end = steps - 1, now = Math.min(step, end);
    // If the fall has no steps, the last step is the peak.
    if (now <= peak) return halfWave(ends[0], ends[1], peak === 0 ? 1 : now / peak);
    return halfWave(ends[1], ends[2], (now - peak) / (end - peak));
  };
  return {
    factor: (step) => along(step, [1 / divide, 1, 1 / (divide * finalDivide)]),
    ...(momentum && {
      momentum: (step) => along(step, [momentum[1], momentum[0], momentum[1]]),
    }),
  };
}

/** Interpolates along half a cosine from one number (t = 0) to another (t = 1). */
function halfWave(from: number, to: number, t: number): number {
  return to + (from - to) * (1 + Math.cos(Math.PI * t)) / 2;
}

const PART: NumberRule = { requirement: "from 0 to 1", holds: (x) => x >= 0 && x <= 1 };

function checked(options: OneCycleOptions) {
  const action = "make a one-cycle schedule";
  checkOptions(action, options, ["steps", "peakAt", "divide", "finalDivide", "momentum"]);
  const { steps, peakAt = 0.3, divide = 25, finalDivide = 1e4, momentum } = options;
  checkNumber(action, "steps", steps, wholeFrom(1));
  checkNumber(action, "peakAt", peakAt, PART);
  checkNumber(action, "divide", divide, POSITIVE);
  checkNumber(action, "finalDivide", finalDivide, POSITIVE);
  if (momentum !== undefined) {
    if (!Array.isArray(momentum) || momentum.length !== 2) {
      throw new TypeError(
        `Cannot ${action}: momentum must be two numbers, at the peak and at the ends; got ${
          show(momentum)
        }`,
      );
    }
    for (const one of momentum) checkNumber(action, "momentum", one, PART);
  }
  return { steps, peakAt, divide, finalDivide, momentum };
}
