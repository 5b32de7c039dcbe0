/**
 * Settings of the command `hooke doctor`.
 *
 * @module
 */

/** Settings of the command `doctor`. */
export interface DoctorSettings {
  /** True to print one JSON object. */
  readonly json: boolean;
}
