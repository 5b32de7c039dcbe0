/**
 * Settings of the command `hooke convert`.
 *
 * @module
 */

import type { FormatSettings } from "../run/formats.ts";

/** Settings of the command `convert`. */
export interface ConvertSettings extends FormatSettings {
  /** Files to read, and last the file to write. */
  readonly files: readonly string[];
  /** Time between two frames, fs. */
  readonly frameTime: number;
  /** True to replace an existing file. */
  readonly overwrite: boolean;
}
