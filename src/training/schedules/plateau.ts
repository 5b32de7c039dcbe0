/**
 * Reduction of learning rates if a metric does not improve.
 *
 * @module
 */

import {
  checkNumber,
  isCount,
  NOT_NEGATIVE,
  type NumberRule,
  wholeFrom,
} from "../../base/check_number.ts";
import { checkOneOf, checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import type { Schedule } from "./schedule.ts";

/** Options of {@linkcode plateau}. */
export interface PlateauOptions {
  /**
   * Name of the metric that should improve.
   *
   * @default "val/loss"
   */
  readonly monitor?: string;
  /**
   * Direction of improvement: toward smaller or larger values.
   *
   * @default "min"
   */
  readonly mode?: "min" | "max";
  /**
   * Factor by which each reduction multiplies the learning rates.
   *
   * @default 0.1
   */
  readonly factor?: number;
  /**
   * Number of successive observations without improvement that are tolerated. The next one causes a reduction.
   *
   * @default 10
   */
  readonly patience?: number;
  /**
   * Smallest difference from the best value that counts as an improvement.
   *
   * @default 0.0001
   */
  readonly threshold?: number;
  /**
   * Unit of the threshold: `"relative"` for a fraction of the best value, `"absolute"` for a difference in the unit
   * of the metric.
   *
   * @default "relative"
   */
  readonly thresholdMode?: "relative" | "absolute";
  /**
   * Number of observations after a reduction that do not count as lacking improvement.
   *
   * @default 0
   */
  readonly cooldown?: number;
  /**
   * Smallest factor to which reductions lead.
   *
   * @default 0
   */
  readonly min?: number;
}

/** State of a plateau schedule, which checkpoints contain. */
interface State {
  /** The best value so far; null before the first one, because JSON has no infinity. */
  best: number | null;
  /** Number of successive observations without improvement. */
  bad: number;
  /** Number of remaining observations of the cooldown. */
  cooling: number;
  /** The current factor of the learning rates. */
  factor: number;
}

/**
 * Returns a schedule that reduces the learning rates by a factor if a metric has not improved in more than `patience`
 * successive observations. NaN is never an improvement. Checkpoints contain the state of the schedule.
 *
 * @returns a schedule whose `factor` is the current one, whatever the step
 * @throws {TypeError} if an option is unknown or not a number; `observe` throws one if the metrics lack the monitored
 * one
 * @throws {RangeError} if a number is out of range, or if `mode` or `thresholdMode` is unknown
 *
 * @example
 * ```ts
 * import { plateau } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const schedule = plateau({ monitor: "val/loss", factor: 0.5, patience: 1 });
 * const factors = [3, 2, 2, 2, 2].map((loss, epoch) => {
 *   schedule.observe!({ "val/loss": loss });
 *   return schedule.factor(epoch);
 * });
 * assertEquals(factors, [1, 1, 1, 0.5, 0.5]);
 * ```
 */
export function plateau(options: PlateauOptions = {}): Schedule {
  const plan = checked(options);
  let state: State = { best: null, bad: 0, cooling: 0, factor: 1 };
  return {
    monitor: plan.monitor,
    factor: () => state.factor,
    observe: (metrics) => {
      const { monitor } = plan;
      const value = Object.hasOwn(metrics, monitor) ? metrics[monitor] : undefined;
      if (typeof value === "number") return follow(state, plan, value);
      throw new TypeError(
        `Cannot follow a plateau: the metric ${show(monitor)} must be a number; got ${
          value === undefined
            ? `only the metrics ${Object.keys(metrics).join(", ") || "none"}`
            : show(value)
        }`,
      );
    },
    save: () => ({ ...state }),
    load: (saved) => void (state = readState(saved)),
  };
}

/** Updates the state after an observation. During the cooldown, observations without improvement are not counted. */
function follow(state: State, plan: Required<PlateauOptions>, value: number): void {
  if (isBetter(value, state.best, plan)) {
    state.best = value;
    state.bad = 0;
  } else state.bad++;
  if (state.cooling > 0) {
    state.cooling--;
    state.bad = 0;
  }
  if (state.bad <= plan.patience) return;
  // A factor below the minimum, which a checkpoint may contain, is not increased.
  state.factor = Math.min(state.factor, Math.max(state.factor * plan.factor, plan.min));
  state.cooling = plan.cooldown;
  state.bad = 0;
}

function isBetter(
  value: number,
  best: number | null,
  { mode, threshold, thresholdMode }: Required<PlateauOptions>,
): boolean {
  const sign = mode === "min" ? -1 : 1;
  if (best === null) return sign * value > -Infinity;
  const least = thresholdMode === "relative"
    ? best * (1 + sign * threshold)
    : best + sign * threshold;
  return sign * value > sign * least;
}

const FACTOR: NumberRule = { requirement: "0 or more and below 1", holds: (x) => x >= 0 && x < 1 };

function checked(options: PlateauOptions): Required<PlateauOptions> {
  const action = "make a plateau schedule";
  checkOptions(action, options, [
    "monitor",
    "mode",
    "factor",
    "patience",
    "threshold",
    "thresholdMode",
    "cooldown",
    "min",
  ]);
  const { monitor = "val/loss", mode = "min", factor = 0.1, patience = 10 } = options;
  const { threshold = 1e-4, thresholdMode = "relative", cooldown = 0, min = 0 } = options;
  if (typeof monitor !== "string" || monitor === "") {
    throw new TypeError(
      `Cannot ${action}: monitor must be the name of a metric; got ${show(monitor)}`,
    );
  }
  checkOneOf(action, "mode", mode, ["min", "max"]);
  checkOneOf(action, "thresholdMode", thresholdMode, ["relative", "absolute"]);
  checkNumber(action, "factor", factor, FACTOR);
  checkNumber(action, "patience", patience, wholeFrom(0));
  checkNumber(action, "cooldown", cooldown, wholeFrom(0));
  checkNumber(action, "threshold", threshold, NOT_NEGATIVE);
  checkNumber(action, "min", min, NOT_NEGATIVE);
  return { monitor, mode, factor, patience, threshold, thresholdMode, cooldown, min };
}

function readState(saved: unknown): State {
  const { best, bad, cooling, factor } = (saved ?? {}) as Partial<Record<string, unknown>>;
  const isRead = (best === null || typeof best === "number") && isCount(bad) && isCount(cooling) &&
    typeof factor === "number" && factor >= 0;
  if (isRead) return { best, bad, cooling, factor };
  throw new TypeError(
    `Cannot load a plateau schedule: the state must be a result of save(); got ${show(saved)}`,
  );
}
