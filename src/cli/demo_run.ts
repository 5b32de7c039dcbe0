/**
 * Settings that all parts of the demo share.
 *
 * @module
 */

import type { Profiler } from "../observe/profile/profiler.ts";
import type { DemoFiles } from "./demo_files.ts";
import type { DemoSettings } from "./demo_settings.ts";
import type { Terminal } from "./terminal.ts";

/** A run of the demo: its options, and the objects that both parts use. */
export interface DemoRun {
  /** Options read from the command line. */
  readonly options: DemoSettings;
  /** Files of the run. */
  readonly files: DemoFiles;
  /** Terminal on which progress is shown. */
  readonly terminal: Terminal;
  /** Signal that interrupts the run. */
  readonly signal: AbortSignal;
  /** Profiler, if a trace was requested. */
  readonly profiler: Profiler | undefined;
}
