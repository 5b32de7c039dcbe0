/**
 * Which names mean what in ASE's databases.
 *
 * @module
 */

import type { DType, FieldInfo, Level } from "../../batch/fields/fields.ts";
import { isSymbol } from "../../batch/elements.ts";
import { SYSTEM_COLUMNS } from "./schema.ts";

/** A user's field that has a column of its own. */
export interface OwnColumn {
  readonly level: Level;
  readonly dtype: DType;
  readonly width: number;
  /** The value of atoms without it. */
  readonly fill: number;
}

const perAtom = { level: "node", dtype: "f64", width: 1, fill: NaN } as const;
const perSystem = { level: "system", dtype: "f64", width: 1, fill: NaN } as const;

/** Fields of one's own that are columns, when they are as they must be there. */
export const OWN_COLUMNS: Readonly<Record<string, OwnColumn>> = {
  tags: { ...perAtom, dtype: "i32", fill: 0 },
  initial_charges: perAtom,
  initial_magmoms: perAtom,
  magmoms: perAtom,
  magmom: perSystem,
  free_energy: perSystem,
  dipole: { ...perSystem, width: 3 },
};

/** Whether a field has a column of its own. */
export function hasColumn({ name, level, dtype, width }: FieldInfo): boolean {
  const column = Object.hasOwn(OWN_COLUMNS, name) ? OWN_COLUMNS[name] : undefined;
  return column !== undefined && column.level === level && column.dtype === dtype &&
    column.width === width;
}

/** Whole numbers per system that are keys under their own names. */
export const COUNTS: readonly string[] = ["systemId", "status", "stepsDone", "dofRemoved"];

const RESERVED: ReadonlySet<string> = new Set([
  ...SYSTEM_COLUMNS,
  "id",
  "user",
  "formula",
  "age",
  "symbols",
  "stresses",
  "energies",
  "dielectric_tensor",
  "born_effective_charges",
  "polarization",
  "constrained_forces",
  "count_atoms",
  "get",
  "toatoms",
  "external_tables",
]);

/** Whether ASE takes it as the key of a number or text that can be searched for. */
export function isKey(name: string): boolean {
  return /^[_a-zA-Z]\w*$/.test(name) && !RESERVED.has(name) && !isSymbol(name);
}

/** Whether ASE takes it as a value to be searched for: texts that look like something else are none. */
export function isKeyValue(value: unknown): value is number | boolean | string {
  if (typeof value === "number" || typeof value === "boolean") return true;
  return typeof value === "string" && value !== "" &&
    !/^[\s]*[-+]?([\d_]*\.?[\d_]+|[\d_]+\.?)(e[-+]?\d+)?\s*$|^\s*[-+]?(inf|infinity|nan)\s*$/i
      .test(value) &&
    !/^(true|false|t|f)$/i.test(value);
}
