/**
 * Schedules that follow what is measured.
 *
 * @module
 */

import type { AssignedOptimizer } from "../optimizers/assigned.ts";

/** When something was measured: an epoch has ended, one that was validated before, or a validation. */
export type MeasuredAfter = "epoch" | "validatedEpoch" | "validation";

type Optimizers = readonly Pick<AssignedOptimizer, "schedule">[];
type Metrics = Readonly<Record<string, number>>;

/** Tells schedules what was measured: each when what it follows is new. */
export function reportToSchedules(
  optimizers: Optimizers,
  metrics: Metrics,
  after: MeasuredAfter,
): void {
  for (const schedule of new Set(optimizers.map(({ schedule }) => schedule))) {
    const { monitor } = schedule;
    const isNew = monitor === undefined
      ? after !== "validatedEpoch" // it was told after the validation
      : monitor.startsWith("val/") === (after === "validation");
    if (isNew) schedule.observe?.(metrics);
  }
}

/** Throws a RangeError where a schedule has waited for a validation, and there was none. */
export function checkMonitors(optimizers: Optimizers, metrics: Metrics): void {
  for (const { schedule: { monitor = "" } } of optimizers) {
    if (!monitor.startsWith("val/") || metrics[monitor] !== undefined) continue;
    throw new RangeError(
      `Cannot follow ${monitor} with a schedule as there must be a validation: there was none`,
    );
  }
}
