/**
 * What the parts of the demo have in common.
 *
 * @module
 */

import type { Profiler } from "../observe/profile/profiler.ts";
import type { DeviceName } from "../backend/devices.ts";
import type { ModelName } from "./demo_argon.ts";
import type { DemoFiles } from "./demo_files.ts";
import type { Terminal } from "./terminal.ts";

/** What the demo was asked for. */
export interface DemoOptions {
  /** How many crystals. */
  readonly systems: number;
  /** When a crystal is relaxed, eV/Å. */
  readonly fmax: number;
  /** Steps of dynamics. */
  readonly steps: number;
  /** Of crystals, velocities and noise. */
  readonly seed: number;
  /** What pulls at atoms while they relax. */
  readonly model: ModelName;
  /** Where it runs. */
  readonly device: DeviceName;
  /** Whether there are neither progress nor pictures. */
  readonly isQuiet: boolean;
}

/** What the parts of the demo have in common. */
export interface DemoRun {
  /** What was asked for. */
  readonly options: DemoOptions;
  /** Where the files are. */
  readonly files: DemoFiles;
  /** Where progress is painted. */
  readonly terminal: Terminal;
  /** Interrupts it. */
  readonly signal: AbortSignal;
  /** Measures where the time goes, when that was asked for. */
  readonly profiler: Profiler | undefined;
}
