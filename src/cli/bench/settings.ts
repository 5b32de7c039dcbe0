/**
 * Settings of the command `hooke bench`.
 *
 * @module
 */

import type { FormatSettings } from "../run/formats.ts";
import type { ConfigSettings, PotentialSettings } from "../run/table.ts";

/** Settings of the command `bench`. */
export interface BenchSettings
  extends FormatSettings, ConfigSettings, Pick<PotentialSettings, "model" | "modelOptions"> {
  /** File of the structure, as a list of at most one; without it, a crystal of argon. */
  readonly files: readonly string[];
  /** Number of copies of the structure in the batch. */
  readonly copies: number;
  /** Time for all measurements, s. */
  readonly time: number;
  /** Devices to measure; all that are there if it is empty. */
  readonly device: readonly string[];
  /** Largest number of threads; undefined for the number of processors. */
  readonly threads: number | undefined;
  /** Time step, fs. */
  readonly dt: number;
  /** Temperature of the initial velocities, K. */
  readonly temperature: number;
  /** True to print a JSON object instead of text. */
  readonly json: boolean;
  /** True to print no notices. */
  readonly quiet: boolean;
}
