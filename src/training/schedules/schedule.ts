/**
 * The interface of schedules.
 *
 * @module
 */

/** A learning-rate schedule: the factor by which learning rates are multiplied during a run. */
export interface Schedule {
  /**
   * Returns the factor in an optimizer step, counted from 0. It depends only on the step, unless the schedule
   * observes metrics.
   */
  factor(step: number): number;
  /** Returns the momentum in an optimizer step. Absent if the schedule does not change the momentum. */
  momentum?(step: number): number;
  /**
   * Name of the metric that the schedule observes. A metric of validation (`"val/…"`) is reported after each
   * validation, any other metric at the end of each epoch.
   *
   * @default undefined: all metrics are reported after each validation, and after each epoch without validation
   */
  readonly monitor?: string;
  /** Receives new metrics, by name. */
  observe?(metrics: Readonly<Record<string, number>>): void;
  /** Returns the state of the schedule for a checkpoint, as plain data that JSON can represent. */
  save?(): unknown;
  /** Restores a state that `save` has returned. */
  load?(state: unknown): void;
}
