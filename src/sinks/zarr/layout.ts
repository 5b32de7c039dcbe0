/**
 * Where each field is in a store: the names and shapes that nvalchemi's AtomicData has, and our own beside them.
 *
 * @module
 */

import { type DType, type FieldInfo, isInteger, type Level } from "../../batch/fields/fields.ts";
import type { WrittenType } from "./value_types.ts";

/** How much of a field's precision is kept. */
export type ZarrPrecision = "f64" | "f32";

/** An array of a store, but for how it is cut into chunks. */
export interface ArrayPlan {
  /** Its folder, from the root: `"core/positions"`. */
  readonly path: string;
  readonly type: WrittenType;
  /** What follows the rows in its shape: `[3]` for positions. */
  readonly rest: readonly number[];
  /** A name for each dimension, the same for what has equally many. */
  readonly dimensions: readonly string[];
  /** The value of rows that were never written. */
  readonly fill: number;
  /** The field whose values it holds; none for the store's own arrays. */
  readonly field?: FieldInfo;
}

/** A field that AtomicData has, too: its name there, and its type and shape where they are not the field's own. */
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

/** By our names. What is not among them is in `custom`. */
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

/** AtomicData's name of a core field → ours. Its `shifts` are vectors, which ours are not. */
export const FIELD_OF_CORE: ReadonlyMap<string, string> = new Map([
  ...Array.from(CORE, ([ours, { name }]): [string, string] => [name, ours]),
  ["shifts", "shift_vectors"],
]);

/** AtomicData calls atoms what fields call nodes. */
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

/** The array of a field. */
export function planOf(field: FieldInfo, precision: ZarrPrecision): ArrayPlan {
  const { name, level, dtype, width } = field;
  const core = CORE.get(name);
  const own = dtype === "f64" ? TYPES[precision] : TYPES[dtype];
  const { rest, dimensions, type = own } = core ?? customOf(name, width);
  return {
    path: core === undefined ? `custom/${folderOf(name)}` : `core/${core.name}`,
    type,
    rest,
    field,
    fill: field.fill ?? (isInteger(dtype) ? 0 : NaN),
    dimensions: [LEVEL_NAMES[level], ...dimensions],
  };
}

function customOf(name: string, width: number): Omit<Known, "name"> {
  return width === 1
    ? { rest: [], dimensions: [] }
    : { rest: [width], dimensions: [`${folderOf(name)}_value`] };
}

/** A field's name as the name of a folder that is just that, whatever the name. */
export function folderOf(name: string): string {
  return encodeURIComponent(name).replaceAll(".", "%2E").replaceAll("*", "%2A");
}

/** The arrays that say where systems begin. They have one row more than there are systems. */
export const POINTERS: Readonly<Record<"node" | "edge" | "info", ArrayPlan>> = {
  node: pointer("meta/atoms_ptr", "atoms_pointer"),
  edge: pointer("meta/edges_ptr", "edges_pointer"),
  info: pointer("hooke/info_ptr", "info_pointer"),
};

function pointer(path: string, dimension: string): ArrayPlan {
  return { path, type: "int64", rest: [], dimensions: [dimension], fill: 0 };
}

/** What else is known of systems, as JSON text one after the other. */
export const INFO_TEXT: ArrayPlan = {
  path: "hooke/info_text",
  type: "uint8",
  rest: [],
  fill: 0,
  dimensions: ["info_byte"],
};

/** Which systems, atoms and edges are not deleted: all of ours, so that nothing of these need be written. */
export const MASKS: Readonly<Record<Level, ArrayPlan>> = {
  system: mask("meta/samples_mask", "system"),
  node: mask("meta/atoms_mask", "atom"),
  edge: mask("meta/edges_mask", "edge"),
};

function mask(path: string, dimension: string): ArrayPlan {
  return { path, type: "bool", rest: [], dimensions: [dimension], fill: 1 };
}

/** The groups of a store. */
export const GROUPS: readonly string[] = ["core", "custom", "hooke", "meta"];

/** What a kill may leave of the very first file. */
export const UNFINISHED = "zarr.json.tmp";
