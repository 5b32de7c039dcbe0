/**
 * Reduction of the learning rates on a plateau.
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
   * The metric that should get better.
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
   * Factor of each reduction.
   *
   * @default 0.1
   */
  readonly factor?: number;
  /**
   * Number of observations in a row without improvement before a reduction.
   *
   * @default 10
   */
  readonly patience?: number;
  /**
   * Least improvement over the best value.
   *
   * @default 0.0001
   */
  readonly threshold?: number;
  /**
   * Meaning of the threshold: a fraction of the best value, or a difference to it.
   *
   * @default "relative"
   */
  readonly thresholdMode?: "relative" | "absolute";
  /**
   * Number of observations after a reduction that are not counted.
   *
   * @default 0
   */
  readonly cooldown?: number;
  /**
   * Minimum of the factor.
   *
   * @default 0
   */
  readonly min?: number;
}

/** State of the schedule. */
interface State {
  /** The best value so far; null at first, as JSON has no infinity. */
  best: number | null;
  /** Number of observations in a row without improvement. */
  bad: number;
  /** Number of observations that are still not counted. */
  cooling: number;
  /** The factor of the learning rates. */
  factor: number;
}

/**
 * Returns a schedule that multiplies by a factor whenever a metric has not improved in more than `patience`
 * observations. NaN is never an improvement. Its state is saved in checkpoints.
 *
 * @returns a schedule whose `factor` is the one reached so far, at any step
 * @throws {TypeError} if an option is unknown or not a number; `observe`: if the metrics lack the one that is monitored
 * @throws {RangeError} if a number or a word is invalid
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

/** Handles an observation. The threshold is relative to the best value, and the reduction follows the cooldown. */
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
