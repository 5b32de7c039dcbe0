/**
 * What a field is, and the fields every part of the package knows by name.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** What a field has one row per: atom, edge (pair of neighbors) or system. */
export type Level = "node" | "edge" | "system";

/** How the values of a field are stored on the host. */
export type DType = "f64" | "f32" | "i32" | "u32" | "u8";

/** The arrays that fields are stored in. */
export type NumericArray = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** All there is to know about a field but its values. */
export interface FieldInfo {
  /** The name it is got and set by. */
  readonly name: string;
  /** What it has one row per. */
  readonly level: Level;
  /** How its values are stored on the host. */
  readonly dtype: DType;
  /** Values per row. */
  readonly width: number;
  /** The unit of its values; empty for plain numbers. */
  readonly unit: string;
  /**
   * The value of systems that come without the field when they join systems that have it. Without one (`undefined`)
   * they cannot join.
   */
  readonly fill: number | undefined;
}

/** The type of each built-in field, by name. */
export interface BuiltInFields {
  /** Atomic numbers. */
  readonly numbers: Int32Array;
  /** Å, three per atom. */
  readonly positions: Float64Array;
  /** Å/fs, three per atom. */
  readonly velocities: Float64Array;
  /** eV/Å, three per atom. */
  readonly forces: Float64Array;
  /** amu. */
  readonly masses: Float64Array;
  /** Elementary charges. */
  readonly charges: Float64Array;
  /** Whole lattice vectors taken off by wrapping, three per atom. */
  readonly images: Int32Array;
  /** A number per atom that hooks select atoms by. */
  readonly categories: Int32Array;
  /** Å, nine per system: the lattice vectors a, b, c one after the other. */
  readonly cell: Float64Array;
  /** 1 for each of a, b, c along which the system repeats. */
  readonly pbc: Uint8Array;
  /** Potential energy, eV. */
  readonly energy: Float64Array;
  /** eV/Å³, nine per system: dE/dε / V, positive under tension. */
  readonly stress: Float64Array;
  /** The stage of a fused run that a system is in. */
  readonly status: Int32Array;
  /** A number that is a system's own in the batch, and for life. */
  readonly systemId: Int32Array;
  /** Steps this system has done. */
  readonly stepsDone: Int32Array;
  /** Degrees of freedom taken away: of 3 per atom, those no thermal motion is in (a resting center of mass: 3). */
  readonly dofRemoved: Int32Array;
  /** Two node indices per edge: within a system when alone, within the batch in a batch. */
  readonly edges: Int32Array;
  /** Whole lattice vectors between the two nodes of an edge, three per edge. */
  readonly shifts: Int32Array;
}

/** The name of a built-in field. */
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
 * The built-in fields by name. Energies, forces and stresses that nobody has computed are NaN, never a plausible
 * zero.
 */
export const BUILT_IN: ReadonlyMap<string, FieldInfo> = new Map(
  declared.map((
    [name, level, dtype, width, unit, fill],
  ) => [name, Object.freeze({ name, level, dtype, width, unit, fill })]),
);

/** The fields that every system and every batch has. */
export const ALWAYS: readonly BuiltInName[] = ["numbers", "positions", "masses", "cell", "pbc"];

const ARRAYS: Readonly<Record<DType, new (length: number) => NumericArray>> = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u8: Uint8Array,
};

/** Whether a value names a dtype. */
export function isDType(value: unknown): value is DType {
  return typeof value === "string" && Object.hasOwn(ARRAYS, value);
}

/** Whether a dtype holds whole numbers only. */
export function isInteger(dtype: DType): boolean {
  return dtype === "i32" || dtype === "u32" || dtype === "u8";
}

/** The least and the largest whole number of an integer dtype. */
export function rangeOf(dtype: DType): readonly [least: number, largest: number] {
  if (dtype === "i32") return [-2147483648, 2147483647];
  return dtype === "u32" ? [0, 4294967295] : [0, 255];
}

/** An array of zeros for a dtype. */
export function allocate(dtype: DType, length: number): NumericArray {
  return new ARRAYS[dtype](length);
}

/** The dtype an array holds, or `undefined` for what is no array of numbers of ours. */
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
    `Cannot get ${
      show(name)
    } as the ${where} must have a field of that name: current fields are ${known}${
      where === "batch" ? remedy(name) : ""
    }`,
  );
}

function remedy(name: unknown): string {
  if (typeof name !== "string" || !BUILT_IN.has(name)) return "";
  const ensured = `batch.ensure("${name}") adds it`;
  return COMPUTED.has(name) ? `; await a run of an engine first, or ${ensured}` : `; ${ensured}`;
}

/** Fields that every batch has after a run. */
const COMPUTED: ReadonlySet<string> = new Set(["velocities", "forces", "energy", "stepsDone"]);
