/**
 * Metrics that hooks monitor.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import { checkType, isOneOf } from "../any/hook_options.ts";
import { isText } from "./training_options.ts";

/** Direction in which a metric improves. */
export type MonitorMode = "min" | "max";

/** Options of hooks that compare a metric. */
export interface MonitorOptions {
  /**
   * Name of the metric.
   *
   * @default "val/loss"
   */
  readonly monitor?: string;
  /**
   * Direction of improvement: `"min"` if smaller values are better, `"max"` if larger ones are.
   *
   * @default "min"
   */
  readonly mode?: MonitorMode;
}

/** Throws a TypeError if an option of a monitor is of the wrong kind. */
export function checkMonitor(hook: string, options: object): void {
  checkType(hook, options, "monitor", "the name of a metric", isText);
  checkType(hook, options, "mode", '"min" or "max"', isOneOf("min", "max"));
}

/**
 * Returns the value of a metric, which may be NaN.
 *
 * @throws {RangeError} if there is no metric of that name; the message lists the metrics
 */
export function monitored(
  action: string,
  metrics: Readonly<Record<string, number>>,
  monitor: string,
): number {
  const value = metrics[monitor];
  if (value !== undefined) return value;
  const names = Object.keys(metrics);
  const requirement = `its monitor must be one of the metrics, ${
    names.join(", ") || "but the run has no metrics"
  }`;
  throw new RangeError(complaint(action, requirement, monitor, names));
}

/**
 * Returns whether a value is better than another by more than `margin`. A value that is not finite is never better,
 * and any finite value is better than it.
 */
export function isBetter(value: number, than: number, mode: MonitorMode, margin = 0): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(than)) {
    return Number.isFinite(value);
  }
  return mode === "min" ? than - value > margin : value - than > margin;
}
