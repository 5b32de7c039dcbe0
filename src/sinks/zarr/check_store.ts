/**
 * Verification of a store by its checksums.
 *
 * @module
 */

import { CHANGED, type CheckedPart, MISSING } from "../damage.ts";
import { codeOf } from "../files/open_file.ts";
import { type Host, namesIfExists } from "./files.ts";
import { GROUPS, UNFINISHED } from "./layout.ts";
import { isSealed } from "./metadata.ts";
import { StoredArray } from "./stored_array.ts";
import { StoreView } from "./store_view.ts";

/** Attribute of all metadata that Hooke writes. It holds the checksum. */
const OWN = '"hooke"';
/** Metadata files that every store written by Hooke has. */
const ALWAYS_THERE = ["zarr.json", ...GROUPS.map((group) => `${group}/zarr.json`)];
/** Description of the damage of a missing part. */
const GONE = "it is missing";

/**
 * Compares all metadata and all chunks with their checksums. Unused space in shards holds no data and is not checked.
 * Arrays and groups that another program added have no checksums. The last part that is yielded has the number of
 * systems.
 */
export async function* checkStore(host: Host, path: string): AsyncGenerator<CheckedPart, void> {
  const folders: string[] = [], unsealed: CheckedPart[] = [];
  const expected = new Set(ALWAYS_THERE.map((name) => `${path}/${name}`));
  let isOurs = false;
  for await (const file of metadataIn(host, path)) {
    const text = new TextDecoder().decode(await host.fs.readFile(file));
    const sealed = isSealed(text);
    const part = { place: file, isSummed: sealed !== undefined, systems: 0 };
    isOurs ||= part.isSummed;
    const isOwn = expected.delete(file) || text.includes(OWN);
    if (sealed === undefined && isOwn) unsealed.push(part);
    else yield sealed === false ? { ...part, reason: CHANGED } : part;
    folders.push(file.slice(0, file.lastIndexOf("/")));
  }
  for (const part of unsealed) yield isOurs ? { ...part, reason: MISSING } : part;
  const isStore = isOurs || await hasContent(host, path);
  for (const place of isStore ? expected : []) {
    if (!isOurs && place !== `${path}/zarr.json`) continue;
    yield { place, isSummed: isOurs, systems: 0, reason: GONE };
  }
  const view = await StoreView.open(host, path); // reports other damage
  for (const folder of folders) {
    if (isArray(await host.fs.readFile(`${folder}/zarr.json`))) yield* checkArray(host, folder);
  }
  yield { place: path, isSummed: isOurs, systems: view?.size ?? 0 };
}

async function* checkArray(host: Host, folder: string): AsyncGenerator<CheckedPart, void> {
  const array = await StoredArray.open(host, folder);
  if (array?.metadata.sharding === undefined) return; // masks have no stored chunks
  const { chunk, decoding } = array.metadata, isSummed = decoding.unpack.includes("crc32c");
  for (let at = 0; at * chunk[0]! < array.rows; at++) {
    const part = { place: `${folder}, chunk ${at}`, isSummed, systems: 0 };
    yield await array.readChunk(at).then(
      (bytes) => bytes === undefined ? { ...part, reason: GONE } : part,
      (error: Error) => {
        if (!(error instanceof SyntaxError)) throw error;
        return { ...part, reason: error.message };
      },
    );
  }
}

function isArray(bytes: Uint8Array): boolean {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)).node_type === "array";
  } catch {
    return false; // the comparison of its checksum has reported it
  }
}

/** Returns whether a folder contains more than the unfinished first file that a killed process may leave. */
async function hasContent(host: Host, path: string): Promise<boolean> {
  const names = await namesIfExists(host.fs, path) ?? [];
  return names.some((name) => name !== UNFINISHED);
}

/** Yields the paths of the metadata files of the store, its groups and its arrays. */
async function* metadataIn(host: Host, folder: string): AsyncGenerator<string, void> {
  let names: readonly string[];
  try {
    names = await namesIfExists(host.fs, folder) ?? [];
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return; // a file, not a folder
    throw error;
  }
  if (names.includes("zarr.json")) yield `${folder}/zarr.json`;
  for (const name of names) {
    if (name !== "c" && !name.includes(".json")) yield* metadataIn(host, `${folder}/${name}`);
  }
}
