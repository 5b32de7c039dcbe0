/**
 * Reports of metrics to the schedules that observe them.
 *
 * @module
 */

import type { AssignedOptimizer } from "../optimizers/assigned.ts";

/**
 * The event after which metrics are reported: the end of an epoch without validation, the end of an epoch with
 * validation, or a validation.
 */
export type MeasuredAfter = "epoch" | "validatedEpoch" | "validation";

type Optimizers = readonly Pick<AssignedOptimizer, "schedule">[];
type Metrics = Readonly<Record<string, number>>;

/** Reports metrics to the schedules. A schedule that monitors a metric receives them only if that metric is new. */
export function reportToSchedules(
  optimizers: Optimizers,
  metrics: Metrics,
  after: MeasuredAfter,
): void {
  for (const schedule of new Set(optimizers.map(({ schedule }) => schedule))) {
    const { monitor } = schedule;
    const isNew = monitor === undefined
      ? after !== "validatedEpoch" // the schedule received the metrics after the validation
      : monitor.startsWith("val/") === (after === "validation");
    if (isNew) schedule.observe?.(metrics);
  }
}

/** Throws a RangeError if a schedule monitors a metric of validation that has never been measured. */
export function checkMonitors(optimizers: Optimizers, metrics: Metrics): void {
  for (const { schedule: { monitor = "" } } of optimizers) {
    if (!monitor.startsWith("val/") || metrics[monitor] !== undefined) continue;
    throw new RangeError(
      `Cannot follow ${monitor} with a schedule: there was no validation. Pass validation data to the trainer`,
    );
  }
}
