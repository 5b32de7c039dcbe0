/**
 * Settings of the command `hooke md`.
 *
 * @module
 */

import type { FormatSettings } from "../run/formats.ts";
import type { ConfigSettings, InputSettings, PotentialSettings } from "../run/table.ts";
import type { WatchSettings } from "../watch/watch.ts";

/** Settings of the command `md`. */
export interface MdSettings
  extends InputSettings, FormatSettings, PotentialSettings, ConfigSettings, Partial<WatchSettings> {
  /** Quantities that stay constant: energy, temperature, pressure. */
  readonly ensemble: "nve" | "nvt" | "npt" | "nph";
  /** Thermostat of `nvt`. */
  readonly thermostat: "langevin" | "bussi" | "nose-hoover";
  /** Temperature, K. */
  readonly temperature: number;
  /** Pressure of `npt` and `nph`, GPa. */
  readonly pressure: number;
  /** Number of steps; undefined if `time` is given. */
  readonly steps: number | undefined;
  /** Simulated time, ps. */
  readonly time: number | undefined;
  /** Time step, fs. */
  readonly dt: number;
  /** Friction of the Langevin thermostat, 1/fs. */
  readonly friction: number;
  /** Relaxation time of other thermostats, fs. */
  readonly thermostatTime: number;
  /** Relaxation time of the barostat, fs. */
  readonly barostatTime: number;
  /** Degrees of freedom of the cell. */
  readonly coupling: "isotropic" | "anisotropic" | "triclinic";
  /** Seed of velocities and thermostat. */
  readonly seed: number;
  /** True to draw velocities although the files have some. */
  readonly drawVelocities: boolean;
  /** Further options of the integrator. */
  readonly engineOptions: Readonly<Record<string, unknown>>;
  /** Run folder. */
  readonly out: string | undefined;
  /** Name of the trajectory in the run folder. */
  readonly traj: string;
  /** Number of steps between two frames of the trajectory. */
  readonly trajEvery: number;
  /** Number of steps between two rows of the table and the log. */
  readonly logEvery: number;
  /** Number of steps between two checkpoints. */
  readonly checkpointEvery: number;
  /** Signal that saves and stops besides SIGINT and SIGTERM. */
  readonly signal: string | undefined;
}
