/**
 * Scalars of runs of dynamics, for TensorBoard and the report.
 *
 * @module
 */

import type { ScalarOf } from "../../observe/reporter/collect_scalars.ts";
import {
  PRESSURE_FIELDS,
  THERMO_COLUMNS,
  THERMO_FIELDS,
  type ThermoRow,
  thermoTable,
} from "../../observe/atoms/thermo_row.ts";
import type { MdConfig } from "./config.ts";
import { meanOf } from "./thermo_table.ts";

/** Names of the scalars that are collected besides energy, largest force and temperature. */
const SCALARS: Readonly<Record<string, keyof ThermoRow>> = {
  "energy/kinetic": "kinetic",
  "energy/total": "total",
  "pressure_GPa": "pressure",
  "volume_A3": "volume",
};

/**
 * Returns the options of the `Reporter` for kinetic and total energy, pressure and volume: means over the systems that
 * have them.
 */
export function thermoScalars(
  { facts: { hasPressure } }: MdConfig,
): { readonly scalars: Readonly<Record<string, ScalarOf>>; readonly reads: readonly string[] } {
  const names = Object.entries(SCALARS)
    .filter(([name]) => hasPressure || name.startsWith("energy/"));
  return {
    reads: hasPressure ? PRESSURE_FIELDS : THERMO_FIELDS,
    scalars: Object.fromEntries(
      names.map(([name, column]) => [name, scalarOf(column, hasPressure)]),
    ),
  };
}

function scalarOf(name: keyof ThermoRow, hasPressure: boolean): ScalarOf {
  const column = THERMO_COLUMNS.indexOf(name);
  return (ctx) => {
    const { read } = ctx as unknown as { readonly read: Readonly<Record<string, Float64Array>> };
    return meanOf(name, thermoTable(0, read, hasPressure).map((row) => row[column]!));
  };
}
