/**
 * Descriptions of fields, and the built-in fields.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Level of a field: one row per atom, per edge (pair of neighbors) or per system. */
export type Level = "node" | "edge" | "system";

/** Number type in which a field is stored in JavaScript. A backend may compute with another type. */
export type DType = "f64" | "f32" | "i32" | "u32" | "u8";

/** Typed arrays that store the values of fields. */
export type NumericArray = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** Description of a field. */
export interface FieldInfo {
  /** Name of the field, unique in a batch. */
  readonly name: string;
  /** Level of the field: one row per atom, edge or system. */
  readonly level: Level;
  /** Number type in which the values are stored in JavaScript. */
  readonly dtype: DType;
  /** Numbers per row. */
  readonly width: number;
  /** Unit of the values; an empty string for values without a unit. */
  readonly unit: string;
  /**
   * Value that systems without the field get when they join systems that have it. If it is `undefined`, systems
   * without the field cannot join.
   */
  readonly fill: number | undefined;
}

/** Array type of each built-in field, by name. */
export interface BuiltInFields {
  /** Atomic numbers, one per atom. */
  readonly numbers: Int32Array;
  /** Positions, Å, three per atom. */
  readonly positions: Float64Array;
  /** Velocities, Å/fs, three per atom. */
  readonly velocities: Float64Array;
  /** Forces, eV/Å, three per atom. */
  readonly forces: Float64Array;
  /** Masses, amu, one per atom. */
  readonly masses: Float64Array;
  /** Charges in units of the elementary charge, one per atom. */
  readonly charges: Float64Array;
  /** Numbers of lattice vectors a, b, c that wrapping has subtracted from each position, three integers per atom. */
  readonly images: Int32Array;
  /** User-defined categories by which hooks select atoms, one integer per atom. */
  readonly categories: Int32Array;
  /** Cells, Å, nine numbers per system: the lattice vectors a, b and c. */
  readonly cell: Float64Array;
  /** Periodicity, three flags per system: 1 if the direction a, b or c is periodic, otherwise 0. */
  readonly pbc: Uint8Array;
  /** Potential energy, eV, one per system. */
  readonly energy: Float64Array;
  /** Stress, eV/Å³, nine numbers per system: dE/dε / V, positive in tension. */
  readonly stress: Float64Array;
  /** Status of the system: its stage in a fused run; otherwise 0, and by default 1 once it has converged. */
  readonly status: Int32Array;
  /** Id of the system. It is unique in the batch and does not change. */
  readonly systemId: Int32Array;
  /** Number of steps that the system has made. */
  readonly stepsDone: Int32Array;
  /**
   * Number of degrees of freedom without thermal motion, which are subtracted from 3 per atom; 3 if the center of
   * mass is at rest.
   */
  readonly dofRemoved: Int32Array;
  /**
   * Two node indices per edge. They count from the first node of the system in a `System`, and from the first node of
   * the batch in a `Batch`.
   */
  readonly edges: Int32Array;
  /** Lattice translation of the second node of each edge, three integers per edge. */
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
 * Name of the field that fixes atoms, as ASE writes it to extended XYZ. It holds 0 for fixed and 1 for moving, with
 * one number per atom or one for each of x, y and z.
 */
export const MOVE_MASK = "move_mask";

/**
 * Built-in fields by name. Energies, forces and stresses that have not been computed are NaN, because a zero would
 * look like a result.
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

/** Returns whether a value is the name of a supported dtype, such as `"f64"`. */
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

/** Creates an array of `length` zeros of a dtype. */
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

/** Returns the error for a field that a system or batch does not have. It lists the existing fields in `names`. */
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
  const ensured = `call batch.ensure("${name}") to add the field`;
  return COMPUTED.has(name)
    ? `; await a run of an engine, which computes the field, or call batch.ensure("${name}") to add it`
    : `; ${ensured}`;
}

/** Names of the fields that an engine adds to every batch that it runs. */
const COMPUTED: ReadonlySet<string> = new Set(["velocities", "forces", "energy", "stepsDone"]);
