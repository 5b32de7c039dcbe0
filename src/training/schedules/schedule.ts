/**
 * The interface of schedules.
 *
 * @module
 */

/** A schedule: the factor of the learning rates during a run. */
export interface Schedule {
  /** Returns the factor in an optimizer step, counted from 0: always the same for a step, unless the schedule observes. */
  factor(step: number): number;
  /** Returns the momentum in that step, if the schedule moves it, too. */
  momentum?(step: number): number;
  /**
   * The metric that `observe` needs: a metric of validation (`"val/…"`) is reported after each validation, any other at the
   * end of each epoch.
   *
   * @default all, after each validation and each epoch without one
   */
  readonly monitor?: string;
  /** Receives the metrics when they are known. */
  observe?(metrics: Readonly<Record<string, number>>): void;
  /** Returns its state for a checkpoint: plain data that JSON can hold. */
  save?(): unknown;
  /** Restores a result of `save`. */
  load?(state: unknown): void;
}
