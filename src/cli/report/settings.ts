/**
 * Settings of the command `hooke report`.
 *
 * @module
 */

/** Settings of the command `report`. */
export interface ReportSettings {
  /** Run folders. */
  readonly runs: readonly string[];
  /** File of the report; undefined for `report.html` in the run folder. */
  readonly output: string | undefined;
  /** True to replace an existing `output`. */
  readonly overwrite: boolean;
  /** True to print one JSON object per run. */
  readonly json: boolean;
  /** True to print nothing. */
  readonly quiet: boolean;
}
