/**
 * Settings that all parts of the demo share.
 *
 * @module
 */

import type { Profiler } from "../observe/profile/profiler.ts";
import type { DeviceName } from "../backend/devices.ts";
import type { ModelName } from "./demo_argon.ts";
import type { DemoFiles } from "./demo_files.ts";
import type { Terminal } from "./terminal.ts";

/** Options of the demo, read from the command line. */
export interface DemoOptions {
  /** Number of crystals. */
  readonly systems: number;
  /** Largest force on an atom at which a crystal counts as relaxed, eV/Å. */
  readonly fmax: number;
  /** Number of steps of dynamics. */
  readonly steps: number;
  /** Seed of crystals, velocities and noise. */
  readonly seed: number;
  /** Source of forces during the relaxation. */
  readonly model: ModelName;
  /** Device to run on. */
  readonly device: DeviceName;
  /** True to show neither progress nor pictures. */
  readonly isQuiet: boolean;
}

/** A run of the demo: its options, and the objects that both parts use. */
export interface DemoRun {
  /** Options read from the command line. */
  readonly options: DemoOptions;
  /** Files of the run. */
  readonly files: DemoFiles;
  /** Terminal on which progress is shown. */
  readonly terminal: Terminal;
  /** Signal that interrupts the run. */
  readonly signal: AbortSignal;
  /** Profiler, if a trace was requested. */
  readonly profiler: Profiler | undefined;
}
