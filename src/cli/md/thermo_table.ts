/**
 * The table of a run of dynamics, with the columns that LAMMPS prints.
 *
 * @module
 */

import type { ThermoRow } from "../../observe/atoms/thermo_row.ts";

interface Column {
  readonly head: string;
  readonly width: number;
  text(row: ThermoRow): string;
}

const COLUMNS: readonly Column[] = [
  { head: "Step", width: 9, text: ({ step }) => String(step) },
  { head: "Time/ps", width: 11, text: ({ time }) => (time / 1000).toFixed(4) },
  { head: "Temp/K", width: 10, text: ({ temperature }) => temperature.toFixed(2) },
  { head: "PotEng/eV", width: 15, text: ({ potential }) => potential.toFixed(6) },
  { head: "KinEng/eV", width: 13, text: ({ kinetic }) => kinetic.toFixed(6) },
  { head: "TotEng/eV", width: 15, text: ({ total }) => total.toFixed(6) },
  { head: "Press/GPa", width: 11, text: ({ pressure }) => number(pressure, 5) },
  { head: "Volume/Å³", width: 12, text: ({ volume }) => number(volume, 3) },
];

function number(value: number, digits: number): string {
  return Number.isNaN(value) ? "-" : value.toFixed(digits);
}

/** Returns the head of the table. */
export function thermoHead(): string {
  return COLUMNS.map(({ head, width }) => head.padStart(width)).join(" ");
}

/** Returns a line of the table. */
export function thermoLine(row: ThermoRow): string {
  return COLUMNS.map(({ width, text }) => text(row).padStart(width)).join(" ");
}

/** Columns without a value for structures without a cell. Elsewhere NaN is an error that a mean must not hide. */
const OF_CELLS: ReadonlySet<keyof ThermoRow> = new Set(["pressure", "volume"]);

/** Returns the mean of a column. Means of pressures and volumes are those of the structures that have them. */
export function meanOf(name: keyof ThermoRow, values: readonly number[]): number {
  const counted = OF_CELLS.has(name) ? values.filter((value) => !Number.isNaN(value)) : values;
  return counted.reduce((sum, value) => sum + value, 0) / counted.length; // NaN without values
}

/** Returns the means over the systems of a step. */
export function meanRow(rows: readonly ThermoRow[]): ThermoRow {
  const names = Object.keys(rows[0]!) as (keyof ThermoRow)[];
  const means = names.map((name) => [name, meanOf(name, rows.map((row) => row[name]))]);
  return Object.fromEntries(means) as unknown as ThermoRow;
}
