/**
 * Location of each field in a store: the names and shapes of nvalchemi's AtomicData, and Hooke's additions.
 *
 * @module
 */

import { type DType, type FieldInfo, isInteger, type Level } from "../../batch/fields/fields.ts";
import type { WrittenType } from "./value_types.ts";

/** Precision in which float64 fields are stored. */
export type ZarrPrecision = "auto" | "f64" | "f32";

/** Description of an array of a store, without the sizes of its chunks. */
export interface ArrayPlan {
  /** Folder of the array, relative to the root: `"core/positions"`. */
  readonly path: string;
  readonly type: WrittenType;
  /** Shape without the rows: `[3]` for positions. */
  readonly rest: readonly number[];
  /** Names of the dimensions. Dimensions of equal meaning and length have the same name. */
  readonly dimensions: readonly string[];
  /** Value of rows that were never written. */
  readonly fill: number;
  /** Field whose values the array holds; missing for the store's own arrays. */
  readonly field?: FieldInfo;
  /** Name of the field with the residuals of the values; missing if the array holds whole values, or rounds them. */
  readonly residual?: string;
}

/** Fields that engines compute in float32, and the fields of their residuals; see residual.ts. */
const RESIDUALS: ReadonlyMap<string, string> = new Map(
  ["positions", "velocities", "forces"].map((name) => [name, `${name}_residual`]),
);

/** Returns whether a field of this name holds residuals. Systems must not have other fields of these names. */
export function isResidual(name: string): boolean {
  return RESIDUALS.get(name.replace(/_residual$/, "")) === name;
}

/** Returns the description of the array with the residuals of another array. */
export function planOfResidual({ field, residual }: ArrayPlan): ArrayPlan {
  return planOf({ ...field!, name: residual!, fill: 0 }, "f64");
}

/**
 * A field that AtomicData has, too: its name in AtomicData, its shape, and its type if that differs from the type of
 * the field.
 */
interface Known {
  readonly name: string;
  readonly type?: WrittenType;
  readonly rest: readonly number[];
  readonly dimensions: readonly string[];
}

const vector = (name: string): Known => ({ name, rest: [3], dimensions: ["xyz"] });
const scalar = (name: string, type?: WrittenType): Known => ({
  name,
  rest: [],
  dimensions: [],
  ...type === undefined ? {} : { type },
});

/**
 * Map from Hooke's name of a field that AtomicData has, too, to its storage there. All other fields are stored in the
 * group `custom`.
 */
const CORE: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["numbers", scalar("atomic_numbers", "int64")],
  ["positions", vector("positions")],
  ["velocities", vector("velocities")],
  ["forces", vector("forces")],
  ["masses", scalar("atomic_masses")],
  ["charges", scalar("charges")],
  ["categories", scalar("atom_categories", "int64")],
  ["cell", { name: "cell", rest: [3, 3], dimensions: ["abc", "xyz"] }],
  ["pbc", { name: "pbc", type: "bool", rest: [3], dimensions: ["abc"] }],
  ["energy", { name: "energy", rest: [1], dimensions: ["energy_value"] }],
  ["stress", { name: "stress", rest: [3, 3], dimensions: ["xyz_of_face", "xyz"] }],
  ["edges", { name: "neighbor_list", type: "int64", rest: [2], dimensions: ["node_of_edge"] }],
  ["shifts", { name: "neighbor_list_shifts", rest: [3], dimensions: ["abc"] }],
]);

/**
 * Map from AtomicData's names of core fields to Hooke's names. AtomicData's `shifts` are vectors, unlike those of
 * Hooke.
 */
export const FIELD_OF_CORE: ReadonlyMap<string, string> = new Map([
  ...Array.from(CORE, ([ours, { name }]): [string, string] => [name, ours]),
  ["shifts", "shift_vectors"],
]);

/** Map from a level to its name in AtomicData, where a node is an atom. */
export const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  node: "atom",
  edge: "edge",
  system: "system",
};

const TYPES: Readonly<Record<DType, WrittenType>> = {
  f64: "float64",
  f32: "float32",
  i32: "int32",
  u32: "uint32",
  u8: "uint8",
};

/** Returns the description of the array of a field. `isSingle` is true if an engine computes the field in float32. */
export function planOf(
  field: FieldInfo,
  precision: ZarrPrecision,
  isSingle: boolean = false,
): ArrayPlan {
  const { name, level, dtype, width } = field;
  const core = CORE.get(name);
  const residual = precision === "auto" && isSingle ? RESIDUALS.get(name) : undefined;
  const isRounded = precision === "f32" || residual !== undefined;
  const own = dtype === "f64" && isRounded ? "float32" : TYPES[dtype];
  const { rest, dimensions, type = own } = core ?? customOf(name, width);
  return {
    path: core === undefined ? `custom/${folderOf(name)}` : `core/${core.name}`,
    type,
    rest,
    field,
    ...residual === undefined ? {} : { residual },
    fill: field.fill ?? (isInteger(dtype) ? 0 : NaN),
    dimensions: [LEVEL_NAMES[level], ...dimensions],
  };
}

function customOf(name: string, width: number): Omit<Known, "name"> {
  return width === 1
    ? { rest: [], dimensions: [] }
    : { rest: [width], dimensions: [`${folderOf(name)}_value`] };
}

/** Returns the folder name of a field. Special characters are encoded, so any name gives one valid folder. */
export function folderOf(name: string): string {
  return encodeURIComponent(name).replaceAll(".", "%2E").replaceAll("*", "%2A");
}

/** Arrays with the index of the first row of each system, followed by the number of all rows. */
export const POINTERS: Readonly<Record<"node" | "edge" | "info", ArrayPlan>> = {
  node: pointer("meta/atoms_ptr", "atoms_pointer"),
  edge: pointer("meta/edges_ptr", "edges_pointer"),
  info: pointer("hooke/info_ptr", "info_pointer"),
};

function pointer(path: string, dimension: string): ArrayPlan {
  return { path, type: "int64", rest: [], dimensions: [dimension], fill: 0 };
}

/** The `info` of all systems as consecutive JSON texts. */
export const INFO_TEXT: ArrayPlan = {
  path: "hooke/info_text",
  type: "uint8",
  rest: [],
  fill: 0,
  dimensions: ["info_byte"],
};

/**
 * Masks of the systems, atoms and edges that are not deleted. Hooke deletes nothing, so their fill value
 * suffices and no chunk is written.
 */
export const MASKS: Readonly<Record<Level, ArrayPlan>> = {
  system: mask("meta/samples_mask", "system"),
  node: mask("meta/atoms_mask", "atom"),
  edge: mask("meta/edges_mask", "edge"),
};

function mask(path: string, dimension: string): ArrayPlan {
  return { path, type: "bool", rest: [], dimensions: [dimension], fill: 1 };
}

/** Names of the groups of a store. */
export const GROUPS: readonly string[] = ["core", "custom", "hooke", "meta"];

/** Name of the file that a killed process may leave in a store that it began. */
export const UNFINISHED = "zarr.json.tmp";
