/**
 * Names of columns and keys in ASE's databases.
 *
 * @module
 */

import type { DType, FieldInfo, Level } from "../../batch/fields/fields.ts";
import { isSymbol } from "../../batch/elements.ts";
import { SYSTEM_COLUMNS } from "./schema.ts";

/** A custom field that has a separate column. */
export interface CustomColumn {
  readonly level: Level;
  readonly dtype: DType;
  readonly width: number;
  /** Value that atoms or systems without the field get. */
  readonly fill: number;
}

const perAtom = { level: "node", dtype: "f64", width: 1, fill: NaN } as const;
const perSystem = { level: "system", dtype: "f64", width: 1, fill: NaN } as const;

/** Custom fields that are stored in columns if their level, dtype and width match. */
export const CUSTOM_COLUMNS: Readonly<Record<string, CustomColumn>> = {
  tags: { ...perAtom, dtype: "i32", fill: 0 },
  initial_charges: perAtom,
  initial_magmoms: perAtom,
  magmoms: perAtom,
  magmom: perSystem,
  free_energy: perSystem,
  dipole: { ...perSystem, width: 3 },
};

/** Returns whether a field has a separate column. */
export function hasColumn({ name, level, dtype, width }: FieldInfo): boolean {
  const column = Object.hasOwn(CUSTOM_COLUMNS, name) ? CUSTOM_COLUMNS[name] : undefined;
  return column !== undefined && column.level === level && column.dtype === dtype &&
    column.width === width;
}

/** Names of the fields with one integer per system that are stored as keys under their own names. */
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

/** Returns whether ASE accepts the name as a key to search for. */
export function isKey(name: string): boolean {
  return /^[_a-zA-Z]\w*$/.test(name) && !RESERVED.has(name) && !isSymbol(name);
}

/** Returns whether ASE accepts the value as one to search for. ASE refuses texts that look like numbers or booleans. */
export function isKeyValue(value: unknown): value is number | boolean | string {
  if (typeof value === "number" || typeof value === "boolean") return true;
  return typeof value === "string" && value !== "" &&
    !/^[\s]*[-+]?([\d_]*\.?[\d_]+|[\d_]+\.?)(e[-+]?\d+)?\s*$|^\s*[-+]?(inf|infinity|nan)\s*$/i
      .test(value) &&
    !/^(true|false|t|f)$/i.test(value);
}
