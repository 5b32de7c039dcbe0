/**
 * Marks and measures of the User Timing API.
 *
 * @module
 */

import type { Milliseconds, Transition, TransitionOutput } from "./transition.ts";

/** Creates a mark per stage and a measure per transition. */
export class UserTiming implements TransitionOutput {
  open(): void {}

  close(): void {}

  stage(stage: string, time: Milliseconds): void {
    performance.mark(stage, { startTime: time });
  }

  transition({ label }: Transition, start: Milliseconds, end: Milliseconds, step: number): void {
    performance.measure(label, { start, end, detail: { step } });
  }
}
