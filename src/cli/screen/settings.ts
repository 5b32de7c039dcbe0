/**
 * Settings of the command `hooke screen`.
 *
 * @module
 */

import type { RelaxationSettings } from "../relax/settings.ts";

/** Settings of the command `screen`. */
export interface ScreenSettings extends RelaxationSettings {
  /** Folder of the results. */
  readonly out: string | undefined;
  /** Name of the file of results in the folder. */
  readonly results: string;
  /** Largest number of atoms in the batch; undefined for a share of those that are known. */
  readonly batchAtoms: number | undefined;
  /** Signal that stops besides SIGINT and SIGTERM. */
  readonly signal: string | undefined;
}
