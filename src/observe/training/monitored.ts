/**
 * A metric that decides something.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import { checkType, isOneOf } from "../any/hook_options.ts";
import { isText } from "./training_options.ts";

/** Whether less is better, or more. */
export type MonitorMode = "min" | "max";

/** Which metric decides, and how. */
export interface MonitorOptions {
  /**
   * The metric.
   *
   * @default "val/loss"
   */
  readonly monitor?: string;
  /**
   * Whether less of it is better, or more.
   *
   * @default "min"
   */
  readonly mode?: MonitorMode;
}

/** Throws a TypeError for options of a monitor that are not what they must be. */
export function checkMonitor(hook: string, options: object): void {
  checkType(hook, options, "monitor", "the name of a metric", isText);
  checkType(hook, options, "mode", '"min" or "max"', isOneOf("min", "max"));
}

/**
 * The value of a metric, which may be NaN.
 *
 * @throws {RangeError} where there is none of that name; says which there are
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
    names.join(", ") || "but there are none"
  }`;
  throw new RangeError(complaint(action, requirement, monitor, names));
}

/** Is a value better than another by more than `margin`? What is not finite is never better, and any number better than it. */
export function isBetter(value: number, than: number, mode: MonitorMode, margin = 0): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(than)) {
    return Number.isFinite(value);
  }
  return mode === "min" ? than - value > margin : value - than > margin;
}
