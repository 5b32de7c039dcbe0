/**
 * State of a run of this process, as the page shows it.
 *
 * @module
 */

import type { RunInfo, RunState } from "../protocol.ts";

/** State of a run. */
export interface Shown {
  readonly state: RunState;
  /** True from the begin of a run to its end. */
  readonly isOpen: boolean;
  /** Number of steps done, now and when the run began. */
  readonly step: number;
  readonly begun: number;
  /** Time of `step`, ms. */
  readonly time: number;
  /** Number of systems in the batch. */
  readonly systems: number;
  readonly files: RunInfo["files"];
  /** True if other machines do the same steps. */
  readonly isShared: boolean;
}

/** State of a run that has not begun. */
export const NOT_BEGUN: Shown = {
  state: "running",
  isOpen: false,
  step: 0,
  begun: 0,
  time: 0,
  systems: 1,
  files: [],
  isShared: false,
};
