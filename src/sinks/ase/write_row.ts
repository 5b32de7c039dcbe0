/**
 * Conversion of a system to a row of ASE's tables.
 *
 * @module
 */

import { cellVolume } from "../../batch/cell.ts";
import { atomicMass } from "../../batch/elements.ts";
import {
  BUILT_IN,
  type FieldInfo,
  MOVE_MASK,
  type NumericArray,
} from "../../batch/fields/fields.ts";
import { writeJson } from "../../batch/extxyz/python_json.ts";
import type { System } from "../../batch/system.ts";
import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { DECLARED, writeDeclared } from "../declared_fields.ts";
import { constraintsOf, isConstraints, moveMask } from "../../formats/ase/constraints.ts";
import type { Cell } from "./database.ts";
import { COUNTS, hasColumn, isKey, isKeyValue } from "./names.ts";
import { pack, Table } from "./packed.ts";

/** Indices of the six numbers in Voigt's order (xx, yy, zz, yz, xz, xy) among the nine numbers of a matrix. */
export const VOIGT: readonly number[] = [0, 4, 8, 5, 2, 1];

/** Values that all rows of a sink share. */
export interface RowContext {
  /** Owner of the rows. */
  readonly username: string | null;
  /** Time of writing in years since 2000. */
  readonly now: number;
}

/** A row, and its entries in other tables. */
export interface AseRow {
  readonly columns: Readonly<Record<string, Cell>>;
  /** Map from atomic number to the number of atoms of that element. */
  readonly species: ReadonlyMap<number, number>;
  /** Key-value pairs to search for. */
  readonly pairs: ReadonlyMap<string, number | boolean | string>;
}

/** Returns the row of a system. Throws a TypeError if `info` is not plain data. */
export function rowOf(system: System, { username, now }: RowContext): AseRow {
  const { pairs, data } = pairsAndData(system);
  const results = resultsOf(system);
  const calculator = system.info["calculator"];
  const hasResults = results["energy"] !== null || results["forces"] !== null;
  const named = typeof calculator === "string" ? calculator : hasResults ? "hooke" : null;
  const parameters = system.info["calculator_parameters"] ?? {};
  return {
    columns: {
      unique_id: crypto.randomUUID().replaceAll("-", ""),
      ctime: now,
      mtime: now,
      username,
      ...atomsOf(system),
      ...results,
      calculator: named,
      calculator_parameters: named === null ? null : writeJson(parameters) ?? "{}",
      key_value_pairs: writeJson(Object.fromEntries(pairs))!,
      data: pack(data),
    },
    species: countsOf(system.numbers),
    pairs,
  };
}

function atomsOf(system: System): Record<string, Cell> {
  const { numbers, masses, cell, pbc } = system;
  const hasOwnMasses = masses.some((mass, atom) => mass !== atomicMass(numbers[atom]!));
  const initial = customColumn(system, "initial_charges") ?? builtIn(system, "charges");
  const volume = Math.abs(cellVolume(cell));
  return {
    numbers: bytesOf(numbers),
    positions: bytesOf(system.positions),
    cell: bytesOf(cell),
    pbc: pbc[0]! + 2 * pbc[1]! + 4 * pbc[2]!,
    initial_magmoms: blob(customColumn(system, "initial_magmoms")),
    initial_charges: blob(initial),
    masses: hasOwnMasses ? bytesOf(masses) : null,
    tags: blob(customColumn(system, "tags")),
    momenta: blob(momentaOf(system)),
    constraints: constraintText(system),
    natoms: system.nodeCount,
    volume: volume === 0 ? null : volume,
    mass: masses.reduce((sum, mass) => sum + mass, 0),
    charge: Array.from(initial ?? []).reduce((sum, charge) => sum + charge, 0),
  };
}

function resultsOf(system: System): Record<string, Cell> {
  const forces = builtIn(system, "forces");
  const stress = known(builtIn(system, "stress"));
  // Without results, the charges of a system are its initial charges, unless it has other initial charges.
  const isComputed = system.energy !== undefined || known(forces) !== undefined ||
    customColumn(system, "initial_charges") !== undefined;
  const voigt = stress === undefined ? undefined : Float64Array.from(VOIGT, (k) => stress[k]!);
  return {
    energy: system.energy ?? null,
    free_energy: number(customColumn(system, "free_energy")),
    forces: blob(known(forces)),
    fmax: known(forces) === undefined ? null : largestForce(forces!, system),
    stress: blob(voigt),
    smax: voigt === undefined ? null : Math.max(...voigt.map(Math.abs)),
    dipole: blob(customColumn(system, "dipole")),
    magmoms: blob(customColumn(system, "magmoms")),
    magmom: number(customColumn(system, "magmom")),
    charges: isComputed ? blob(builtIn(system, "charges")) : null,
  };
}

/** Returns the largest force on an atom in eV/Å, without the components of fixed atoms. */
function largestForce(forces: NumericArray, system: System): number {
  const mask = moveMask(system);
  const width = mask === undefined ? 0 : mask.length / system.nodeCount;
  let largest = 0;
  for (let atom = 0; atom < system.nodeCount; atom++) {
    let squares = 0;
    for (let k = 0; k < 3; k++) {
      const moves = mask === undefined || mask[atom * width + (width === 3 ? k : 0)] === 1;
      if (moves) squares += forces[3 * atom + k]! ** 2;
    }
    largest = Math.max(largest, squares);
  }
  return Math.sqrt(largest);
}

/** Returns the momenta in ASE's unit, √(amu·eV); `undefined` if the system has no velocities. */
export function momentaOf(system: System): Float64Array | undefined {
  if (!system.has("velocities")) return undefined;
  const { masses } = system;
  return system.get("velocities").map((v, i) => v * masses[Math.floor(i / 3)]! * TIME_UNIT_FS);
}

function constraintText(system: System): string | null {
  const mask = moveMask(system);
  const more = system.info["constraints"];
  const all = [
    ...mask === undefined ? [] : constraintsOf(mask, system.nodeCount),
    ...isConstraints(more) ? more : [],
  ];
  return all.length === 0 ? null : writeJson(all) ?? null;
}

/** Splits the values without a column into key-value pairs to search for, and other data. */
function pairsAndData(system: System) {
  const pairs = new Map<string, number | boolean | string>();
  const data = new Map<string, unknown>([[DECLARED, writeDeclared(system.fields())]]);
  for (const info of system.fields()) {
    const { name, level, width } = info;
    const values: NumericArray = system.get(name);
    const isSearched = level === "system" && width === 1 &&
      (BUILT_IN.has(name) ? COUNTS.includes(name) : isKey(name) && !hasColumn(info));
    if (isSearched) pairs.set(name, values[0]!);
    else if (isData(info, system)) {
      data.set(name, new Table([values.length / width, width], values));
    }
  }
  for (const [key, value] of Object.entries(system.info)) {
    if (pairs.has(key) || data.has(key) || isInColumn(key, value)) continue;
    if (isKey(key) && isKeyValue(value)) pairs.set(key, value);
    else data.set(key, value);
  }
  return { pairs, data: Object.fromEntries(data) };
}

/** Returns whether a field is stored in `data`: it has no column, or its column would lose information. */
function isData(info: FieldInfo, system: System): boolean {
  const { name, level, width } = info;
  if (["images", "categories", "edges", "shifts", "velocities"].includes(name)) return true;
  // SQLite's column of real numbers does not keep −0.
  const isMinusZero = width === 1 && level === "system" && Object.is(system.get(name)[0], -0);
  if (isMinusZero && (name === "energy" || hasColumn(info))) return true;
  if (name === "stress") {
    const stress = system.get("stress");
    return [[1, 3], [2, 6], [5, 7]].some(([a, b]) => !Object.is(stress[a!], stress[b!]));
  }
  if (name === MOVE_MASK && moveMask(system) !== undefined) return false;
  return !BUILT_IN.has(name) && !hasColumn(info);
}

function isInColumn(key: string, value: unknown): boolean {
  return key === "calculator" && typeof value === "string" ||
    key === "calculator_parameters" && writeJson(value) !== undefined ||
    key === "constraints" && isConstraints(value);
}

function builtIn(system: System, name: "forces" | "stress" | "charges"): NumericArray | undefined {
  return system.has(name) ? system.get(name) : undefined;
}

function customColumn(system: System, name: string): NumericArray | undefined {
  const info = system.fields().find((field) => field.name === name);
  return info !== undefined && hasColumn(info) ? system.get(name) : undefined;
}

function known(values: NumericArray | undefined): NumericArray | undefined {
  return values?.every((x: number) => Number.isNaN(x)) ? undefined : values;
}

function number(values: NumericArray | undefined): number | null {
  const value = values?.[0];
  return value === undefined || Number.isNaN(value) ? null : value;
}

function blob(values: NumericArray | undefined): Uint8Array | null {
  return values === undefined ? null : bytesOf(values);
}

function bytesOf(values: NumericArray): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function countsOf(numbers: Int32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}
