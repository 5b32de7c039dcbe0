/**
 * Schedules of hooks that see the initial state and the state after every n-th step.
 *
 * @module
 */

import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";

/** A frequency that no step but the first reaches. */
const ONLY_FIRST = Number.MAX_SAFE_INTEGER;

/** Schedules of the stages of dynamics at which such a hook is called. */
export interface StepTimes {
  readonly frequency: number;
  readonly phase: number;
  readonly stageTimes: Readonly<Record<"BEFORE_STEP", ScheduleOptions>>;
}

/**
 * Returns the schedule of a hook with handlers at `BEFORE_STEP` and `AFTER_STEP`. `BEFORE_STEP` is due only before the
 * first step, and `AFTER_STEP` whenever the number of finished steps is a multiple of `every`. At `BEFORE_STEP` of
 * later steps, the engine would have to evaluate the model again for the energies that the hook reads.
 */
export function stepTimes(every: number): StepTimes {
  return {
    frequency: every,
    phase: every - 1,
    stageTimes: { BEFORE_STEP: { frequency: ONLY_FIRST, phase: 0, atEnd: false } },
  };
}
