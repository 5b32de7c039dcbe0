/**
 * Thermodynamic values of a step: temperature, energies, pressure and volume.
 *
 * @module
 */

import { GIGAPASCAL } from "../../kernels/constants.ts";
import type { DynamicsFieldName } from "../../dynamics/stages.ts";

/** Thermodynamic values of one system after a number of steps. */
export interface ThermoRow {
  /** Number of steps done; 0 for the initial structure. */
  readonly step: number;
  /** Simulated time, fs. */
  readonly time: number;
  /** Id of the system. */
  readonly systemId: number;
  /** Temperature, K. */
  readonly temperature: number;
  /** Potential energy, eV. */
  readonly potential: number;
  /** Kinetic energy, eV. */
  readonly kinetic: number;
  /** Sum of the potential and the kinetic energy, eV. */
  readonly total: number;
  /** Pressure with the part of the moving atoms, GPa; NaN without stresses, or if a direction is not periodic. */
  readonly pressure: number;
  /** Volume, Å³; NaN without a cell. */
  readonly volume: number;
}

/** Names of the members of {@linkcode ThermoRow}, in order. */
export const THERMO_COLUMNS: readonly (keyof ThermoRow)[] = [
  "step",
  "time",
  "systemId",
  "temperature",
  "potential",
  "kinetic",
  "total",
  "pressure",
  "volume",
];

/** Names of columns of `log.csv`, and the scalars of run folders that have the same values. */
export const SCALAR_OF_COLUMN: Readonly<Record<string, string>> = {
  potential: "energy",
  kinetic: "energy/kinetic",
  total: "energy/total",
  pressure: "pressure_GPa",
  volume: "volume_A3",
};

/** Fields that a hook must read for rows without a pressure. */
export const THERMO_FIELDS: readonly DynamicsFieldName[] = [
  "time",
  "systemId",
  "temperature",
  "energy",
  "kineticEnergy",
  "cell",
];

/** Fields that a hook must read for rows with a pressure. */
export const PRESSURE_FIELDS: readonly DynamicsFieldName[] = [...THERMO_FIELDS, "pbc", "stress"];

/**
 * Returns the rows of all systems, in the order of `THERMO_COLUMNS`. With `hasPressure`, `read` must have
 * {@linkcode PRESSURE_FIELDS}, otherwise {@linkcode THERMO_FIELDS}. Other fields are not touched.
 */
export function thermoTable(
  step: number,
  read: Readonly<Record<string, ArrayLike<number> | undefined>>,
  hasPressure: boolean,
): number[][] {
  const [time, id, temperature, energy, kinetic, cell] = THERMO_FIELDS.map((name) => read[name]!);
  const { stress, pbc } = hasPressure ? read : {};
  return Array.from(energy!, (potential, i) => {
    const volume = volumeOf(cell!, 9 * i), moving = kinetic![i]!;
    return [
      step,
      time![i]!,
      id![i]!,
      temperature![i]!,
      potential,
      moving,
      potential + moving,
      isPeriodic(pbc, i) ? pressureOf(stress!, 9 * i, moving, volume) : NaN,
      volume,
    ];
  });
}

/** Returns whether all three directions of system i are periodic. */
function isPeriodic(pbc: ArrayLike<number> | undefined, i: number): boolean {
  return pbc !== undefined && pbc[3 * i] === 1 && pbc[3 * i + 1] === 1 && pbc[3 * i + 2] === 1;
}

/** Returns the volume of a cell whose nine numbers begin at `at`, Å³; NaN for a cell without volume. */
function volumeOf(h: ArrayLike<number>, at: number): number {
  const x = (i: number) => h[at + i]!;
  const volume = Math.abs(
    x(0) * (x(4) * x(8) - x(5) * x(7)) - x(1) * (x(3) * x(8) - x(5) * x(6)) +
      x(2) * (x(3) * x(7) - x(4) * x(6)),
  );
  return volume > 0 ? volume : NaN;
}

/** Returns P = 2K/3V − Tr(stress)/3, GPa. The engine's stress has only the part of the potential energy. */
function pressureOf(
  stress: ArrayLike<number>,
  at: number,
  kinetic: number,
  volume: number,
): number {
  const trace = stress[at]! + stress[at + 4]! + stress[at + 8]!;
  return (2 * kinetic / volume - trace) / 3 / GIGAPASCAL;
}
