/**
 * Settings of the command `hooke plot`.
 *
 * @module
 */

/** Settings of the command `plot`. */
export interface PlotSettings {
  /** Run folders and logs. */
  readonly runs: readonly string[];
  /** Columns to draw; an empty list for those that most readers want. */
  readonly columns: readonly string[];
  /** Scale of the values; undefined to choose it by the values. */
  readonly scale: "linear" | "log" | undefined;
  /** File of a picture; undefined to draw in the terminal. */
  readonly output: string | undefined;
  /** Height of each curve in the terminal, lines. */
  readonly height: number;
  /** Width in characters; undefined for the width of the terminal. */
  readonly width: number | undefined;
  /** True to replace an existing picture. */
  readonly overwrite: boolean;
  /** True to print the points of each curve as one JSON object. */
  readonly json: boolean;
  /** True to draw nothing in the terminal. */
  readonly quiet: boolean;
}
