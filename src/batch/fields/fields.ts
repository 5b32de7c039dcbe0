/**
 * Descriptions of fields, and the built-in fields.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Level of a field: one row per atom, per edge (pair of neighbors) or per system. */
export type Level = "node" | "edge" | "system";

/** Type of the stored values of a field on the host. */
export type DType = "f64" | "f32" | "i32" | "u32" | "u8";

/** Arrays that store fields. */
export type NumericArray = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** Description of a field. */
export interface FieldInfo {
  /** Name. */
  readonly name: string;
  /** Level: one row per atom, edge or system. */
  readonly level: Level;
  /** Type of the stored values on the host. */
  readonly dtype: DType;
  /** Numbers per row. */
  readonly width: number;
  /** Unit of the values; empty for plain numbers. */
  readonly unit: string;
  /**
   * Value for systems without the field when they join systems that have it. If it is `undefined`,
   * such systems cannot join.
   */
  readonly fill: number | undefined;
}

/** Array type of each built-in field, by name. */
export interface BuiltInFields {
  /** Atomic numbers. */
  readonly numbers: Int32Array;
  /** Positions, Å, three per atom. */
  readonly positions: Float64Array;
  /** Velocities, Å/fs, three per atom. */
  readonly velocities: Float64Array;
  /** Forces, eV/Å, three per atom. */
  readonly forces: Float64Array;
  /** Masses, amu. */
  readonly masses: Float64Array;
  /** Charges, e. */
  readonly charges: Float64Array;
  /** Lattice translations removed by wrapping, three integers per atom. */
  readonly images: Int32Array;
  /** A number per atom, by which hooks select atoms. */
  readonly categories: Int32Array;
  /** Cells, Å, nine per system: the lattice vectors a, b, c in order. */
  readonly cell: Float64Array;
  /** Periodicity: 1 for each of a, b, c that is periodic. */
  readonly pbc: Uint8Array;
  /** Potential energy, eV. */
  readonly energy: Float64Array;
  /** Stress, eV/Å³, nine per system: dE/dε / V, positive in tension. */
  readonly stress: Float64Array;
  /** Stage of a fused run that a system is in. */
  readonly status: Int32Array;
  /** Id of the system, unique in the batch and constant. */
  readonly systemId: Int32Array;
  /** Number of steps of the system. */
  readonly stepsDone: Int32Array;
  /**
   * Number of degrees of freedom without thermal motion, out of 3 per atom; 3 for a resting center
   * of mass.
   */
  readonly dofRemoved: Int32Array;
  /**
   * Two node indices per edge: within the system for a single system, within the batch for a batch.
   */
  readonly edges: Int32Array;
  /** Lattice translations between the two nodes of an edge, three integers per edge. */
  readonly shifts: Int32Array;
}

/** Name of a built-in field. */
export type BuiltInName = keyof BuiltInFields;

const declared: readonly (readonly [BuiltInName, Level, DType, number, string, number])[] = [
  ["numbers", "node", "i32", 1, "", 0],
  ["positions", "node", "f64", 3, "Å", NaN],
  ["velocities", "node", "f64", 3, "Å/fs", 0],
  ["forces", "node", "f64", 3, "eV/Å", NaN],
  ["masses", "node", "f64", 1, "amu", NaN],
  ["charges", "node", "f64", 1, "e", 0],
  ["images", "node", "i32", 3, "", 0],
  ["categories", "node", "i32", 1, "", 0],
  ["cell", "system", "f64", 9, "Å", 0],
  ["pbc", "system", "u8", 3, "", 0],
  ["energy", "system", "f64", 1, "eV", NaN],
  ["stress", "system", "f64", 9, "eV/Å³", NaN],
  ["status", "system", "i32", 1, "", 0],
  ["systemId", "system", "i32", 1, "", -1],
  ["stepsDone", "system", "i32", 1, "", 0],
  ["dofRemoved", "system", "i32", 1, "", 0],
  ["edges", "edge", "i32", 2, "", 0],
  ["shifts", "edge", "i32", 3, "", 0],
];

/**
 * Field for fixed atoms from files: 0 if fixed, else 1, with one number per atom or one for each of
 * x, y and z. ASE writes it to extended XYZ under this name.
 */
export const MOVE_MASK = "move_mask";

/**
 * Built-in fields by name. Energies, forces and stresses that have not been computed are NaN,
 * because a zero would be plausible.
 */
export const BUILT_IN: ReadonlyMap<string, FieldInfo> = new Map(
  declared.map((
    [name, level, dtype, width, unit, fill],
  ) => [name, Object.freeze({ name, level, dtype, width, unit, fill })]),
);

/** Names of the fields that every system and every batch has. */
export const REQUIRED_FIELDS: readonly BuiltInName[] = [
  "numbers",
  "positions",
  "masses",
  "cell",
  "pbc",
];

const ARRAYS: Readonly<Record<DType, new (length: number) => NumericArray>> = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u8: Uint8Array,
};

/** Returns whether a value is the name of a dtype. */
export function isDType(value: unknown): value is DType {
  return typeof value === "string" && Object.hasOwn(ARRAYS, value);
}

/** Returns whether a dtype holds only integers. */
export function isInteger(dtype: DType): boolean {
  return dtype === "i32" || dtype === "u32" || dtype === "u8";
}

/** Returns the smallest and the largest value of an integer dtype. */
export function rangeOf(dtype: DType): readonly [least: number, largest: number] {
  if (dtype === "i32") return [-2147483648, 2147483647];
  return dtype === "u32" ? [0, 4294967295] : [0, 255];
}

/** Creates an array of zeros. */
export function allocate(dtype: DType, length: number): NumericArray {
  return new ARRAYS[dtype](length);
}

/**
 * Returns the dtype of an array, or `undefined` if the value is not an array of a supported type.
 */
export function dtypeOf(values: unknown): DType | undefined {
  for (const dtype of Object.keys(ARRAYS) as DType[]) {
    if (values instanceof ARRAYS[dtype]) return dtype;
  }
  return undefined;
}

/** Returns the error for a field that a system or batch does not have. */
export function missing(
  name: unknown,
  names: Iterable<string>,
  where: "batch" | "system",
): TypeError {
  const known = [...names].join(", ");
  return new TypeError(
    `Cannot get ${show(name)}: the ${where} has no field of that name; its fields are ${known}${
      where === "batch" ? remedy(name) : ""
    }`,
  );
}

function remedy(name: unknown): string {
  if (typeof name !== "string" || !BUILT_IN.has(name)) return "";
  const ensured = `batch.ensure("${name}") adds it`;
  return COMPUTED.has(name) ? `; await a run of an engine first, or ${ensured}` : `; ${ensured}`;
}

/** Names of the fields that every batch has after a run. */
const COMPUTED: ReadonlySet<string> = new Set(["velocities", "forces", "energy", "stepsDone"]);
