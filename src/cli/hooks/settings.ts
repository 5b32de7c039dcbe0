/**
 * Settings of the command `hooke hooks`.
 *
 * @module
 */

/** Settings of the command `hooks`. */
export interface HooksSettings {
  /** `list` or `plan`, and run folders or modules. */
  readonly files: readonly string[];
  /** True to print one JSON object per hook. */
  readonly json: boolean;
}
