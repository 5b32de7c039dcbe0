/**
 * What a schedule is.
 *
 * @module
 */

/** What learning rates are multiplied by as a run goes on. */
export interface Schedule {
  /** The factor in optimizer step `step`, 0 first. The same for the same step, unless the schedule observes. */
  factor(step: number): number;
  /** The momentum in that step, where the schedule moves it too. */
  momentum?(step: number): number;
  /** Told the metrics when a validation, or an epoch without one, has ended. */
  observe?(metrics: Readonly<Record<string, number>>): void;
  /** What a checkpoint keeps of it: plain data that JSON can hold. */
  save?(): unknown;
  /** Goes on from what `save` gave. */
  load?(state: unknown): void;
}
