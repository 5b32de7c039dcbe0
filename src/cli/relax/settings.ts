/**
 * Settings of the command `hooke relax`.
 *
 * @module
 */

import type { FormatSettings } from "../run/formats.ts";
import type { ConfigSettings, InputSettings, PotentialSettings } from "../run/table.ts";
import type { WatchSettings } from "../watch/watch.ts";

/** Settings of relaxations, by which structures are relaxed in one batch or in a screening. */
export interface RelaxationSettings
  extends InputSettings, FormatSettings, PotentialSettings, ConfigSettings, Partial<WatchSettings> {
  /** Largest force on an atom at which a structure counts as relaxed, eV/Å. */
  readonly fmax: number;
  /** Largest component of the stress at which a cell counts as relaxed, GPa. */
  readonly smax: number;
  /** Largest number of steps. */
  readonly steps: number;
  /** Name of the optimizer. */
  readonly optimizer: "lbfgs" | "fire" | "fire2";
  /** Time step of FIRE, Å·√(amu/eV). */
  readonly dt: number;
  /** Further options of the optimizer, such as `maxStep`. */
  readonly engineOptions: Readonly<Record<string, unknown>>;
  /** True to relax the cells, too. */
  readonly cell: boolean;
  /** True to keep the shape of the cells. */
  readonly isotropic: boolean;
  /** External pressure, GPa. */
  readonly pressure: number;
}

/** Settings of the command `relax`. */
export interface RelaxSettings extends RelaxationSettings {
  /** Files of the relaxed structures. */
  readonly output: readonly string[];
  /** File of the structures of all steps. */
  readonly traj: string | undefined;
}
