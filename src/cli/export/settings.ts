/**
 * Settings of the command `hooke export`.
 *
 * @module
 */

import type { ConfigSettings, PotentialSettings } from "../run/table.ts";

/** Settings of the command `export`. */
export interface ExportSettings extends ConfigSettings, Pick<PotentialSettings, "modelOptions"> {
  /** The model, as a list of one. */
  readonly files: readonly string[];
  /** File to write; undefined for the name of the model with `.forces.onnx`. */
  readonly output: string | undefined;
  /** True to add no virials. */
  readonly forcesOnly: boolean;
  /** File of the structure that checks the written model; undefined for a built one. */
  readonly struct: string | undefined;
  /** True to replace an existing file. */
  readonly overwrite: boolean;
  /** True to print a JSON object instead of text. */
  readonly json: boolean;
  /** True to print no notices. */
  readonly quiet: boolean;
}
