/**
 * Settings of the command `hooke singlepoint`.
 *
 * @module
 */

import type { FormatSettings } from "../run/formats.ts";
import type { ConfigSettings, InputSettings, PotentialSettings } from "../run/table.ts";

/** Settings of the command `singlepoint`. */
export interface SinglepointSettings
  extends
    Omit<InputSettings, "constraints" | "hooks">,
    FormatSettings,
    PotentialSettings,
    ConfigSettings {
  /** Files of the structures with energies, forces and stresses. */
  readonly output: readonly string[];
}
