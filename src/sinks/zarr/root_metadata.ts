/**
 * Metadata of the root of a store.
 *
 * @module
 */

import type { Level } from "../../batch/fields/fields.ts";
import { JsonReader } from "./array_metadata.ts";
import { type FileSystem, namesIfExists } from "./files.ts";
import { FIELD_OF_CORE, LEVEL_NAMES } from "./layout.ts";
import { VERSION } from "./metadata.ts";

/** Location of a field in a store. */
export interface FieldPlace {
  readonly group: "core" | "custom";
  /** Name of the field's folder in the group. */
  readonly stored: string;
  readonly level: Level;
}

/** Content of the metadata of the root. */
export interface RootMetadata {
  /** True if Hooke wrote the store. */
  readonly isOurs: boolean;
  /** Number of systems; `undefined` for stores of other programs. */
  readonly samples: number | undefined;
  readonly fields: readonly FieldPlace[];
}

const LEVELS: ReadonlyMap<string, Level> = new Map(
  Object.entries(LEVEL_NAMES).map(([ours, theirs]) => [theirs, ours as Level]),
);

/**
 * AtomicData's fields of edges and of systems, for stores whose root does not state the level. Other fields
 * are of atoms.
 */
const EDGE_FIELDS = ["shifts", "neighbor_list_shifts", "neighbor_list", "edge_embeddings"];
const SYSTEM_FIELDS = [
  "energy",
  "stress",
  "virial",
  "dipole",
  "charge",
  "graph_embeddings",
  "cell",
  "pbc",
  "spin",
];

/**
 * Reads the root of a store.
 *
 * @throws {SyntaxError} that names the file and the key if the root is damaged
 * @throws {RangeError} if a newer version wrote the store
 */
export async function readRoot(
  fs: FileSystem,
  path: string,
  bytes: Uint8Array,
): Promise<RootMetadata> {
  const json = new JsonReader(`${path}/zarr.json`);
  const meta = json.object("its content", json.parse(bytes));
  json.oneOf("zarr_format", meta.zarr_format, [3]);
  json.oneOf("node_type", meta.node_type, ["group"]);
  const attributes = json.object("attributes", meta.attributes ?? {});
  const listed = readLevels(json, attributes.fields ?? {});
  if (attributes.hooke === undefined) {
    return { isOurs: false, samples: undefined, fields: await existingFields(fs, path, listed) };
  }
  checkVersion(json, path, attributes.hooke);
  return {
    isOurs: true,
    samples: json.count("attributes.num_samples", attributes.num_samples, 0),
    fields: listed,
  };
}

function checkVersion(json: JsonReader, path: string, hooke: unknown): void {
  const key = "attributes.hooke";
  const version = json.count(`${key}.version`, json.object(key, hooke).version, 1);
  if (version <= VERSION) return;
  throw new RangeError(
    `Cannot read ${path}/zarr.json: its version must be ${VERSION} or less; got ${version}. ` +
      "Update Hooke",
  );
}

function readLevels(json: JsonReader, value: unknown): FieldPlace[] {
  const key = "attributes.fields";
  const groups = json.object(key, value);
  return (["core", "custom"] as const).flatMap((group) =>
    Object.entries(json.object(`${key}.${group}`, groups[group] ?? {})).map(([stored, level]) => {
      const at = `${key}.${group}.${stored}`;
      if (/[/\\]|^\.*$/.test(stored)) json.refuse(at, "a valid name of a folder", stored);
      return { group, stored, level: LEVELS.get(json.oneOf(at, level, [...LEVELS.keys()]))! };
    })
  );
}

/** Returns all fields that exist in a store of another program, whose root may not list every array. */
async function existingFields(
  fs: FileSystem,
  path: string,
  listed: readonly FieldPlace[],
): Promise<FieldPlace[]> {
  const fields: FieldPlace[] = [];
  for (const group of ["core", "custom"] as const) {
    for (const stored of await namesIfExists(fs, `${path}/${group}`) ?? []) {
      if (stored === "zarr.json" || stored.startsWith(".")) continue;
      const known = listed.find((one) => one.group === group && one.stored === stored);
      fields.push(known ?? { group, stored, level: group === "core" ? levelOf(stored) : "system" });
    }
  }
  return fields;
}

function levelOf(stored: string): Level {
  if (EDGE_FIELDS.includes(stored)) return "edge";
  if (SYSTEM_FIELDS.includes(stored)) return "system";
  return "node";
}

/** Returns Hooke's name of a field of another program. The attributes of an array that Hooke wrote contain the name. */
export function nameOf({ group, stored }: FieldPlace): string {
  return (group === "core" ? FIELD_OF_CORE.get(stored) : undefined) ?? stored;
}
