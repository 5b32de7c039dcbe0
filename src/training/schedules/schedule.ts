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
  /**
   * The metric that `observe` is about: one of validation (`"val/…"`) is told after each validation, any other when an
   * epoch has ended.
   *
   * @default all, after each validation and each epoch without one
   */
  readonly monitor?: string;
  /** Told the metrics when they are known. */
  observe?(metrics: Readonly<Record<string, number>>): void;
  /** What a checkpoint keeps of it: plain data that JSON can hold. */
  save?(): unknown;
  /** Goes on from what `save` gave. */
  load?(state: unknown): void;
}
