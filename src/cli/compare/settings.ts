/**
 * Settings of the command `hooke compare`.
 *
 * @module
 */

import type { FormatSettings } from "../run/formats.ts";
import type { ConfigSettings, PotentialSettings } from "../run/table.ts";

/** Settings of the command `compare`. */
export interface CompareSettings
  extends Omit<PotentialSettings, "model">, FormatSettings, Pick<ConfigSettings, "config" | "set"> {
  /** The two things to compare: A and B. */
  readonly pair: readonly string[];
  /** Files of structures for which two models are compared. */
  readonly structures: readonly string[];
  /** Columns of logs; an empty list for all that describe the run. */
  readonly columns: readonly string[];
  /** True to compare only the steps, or structures of screenings, that both have. */
  readonly common: boolean;
  /** Largest allowed differences. */
  readonly tolerance: readonly string[];
  /** File of a picture of the parity plots. */
  readonly output: string | undefined;
  /** True to replace an existing picture. */
  readonly overwrite: boolean;
  /** True to print one JSON object per quantity. */
  readonly json: boolean;
  /** True to draw no plots. */
  readonly quiet: boolean;
}
