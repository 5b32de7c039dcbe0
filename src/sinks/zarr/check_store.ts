/**
 * Compares a store with its check sums.
 *
 * @module
 */

import { CHANGED, type CheckedPart, MISSING } from "../damage.ts";
import { codeOf } from "../files/open_file.ts";
import { type Host, namesIfThere } from "./files.ts";
import { GROUPS, UNFINISHED } from "./layout.ts";
import { isSealed } from "./metadata.ts";
import { StoredArray } from "./stored_array.ts";
import { StoreView } from "./store_view.ts";

/** The attribute that all our metadata have, with the check sum in it. */
const OWN = '"hooke"';
/** Metadata that every store of ours has. */
const ALWAYS_THERE = ["zarr.json", ...GROUPS.map((group) => `${group}/zarr.json`)];
/** Description of the damage of a part that is not there. */
const GONE = "it is missing";

/**
 * Compares all metadata and all chunks. Holes in shards, which hold no data, are not looked at. Arrays and groups that
 * another program has added have no check sums.
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
  const view = await StoreView.open(host, path); // says what else is wrong
  for (const folder of folders) {
    if (isArray(await host.fs.readFile(`${folder}/zarr.json`))) yield* checkArray(host, folder);
  }
  yield { place: path, isSummed: isOurs, systems: view?.size ?? 0 };
}

async function* checkArray(host: Host, folder: string): AsyncGenerator<CheckedPart, void> {
  const array = await StoredArray.open(host, folder);
  if (array?.metadata.sharding === undefined) return; // masks, of which nothing is stored
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
    return false; // its check sum has said so
  }
}

/** Whether there is anything in a folder but what a kill may leave of the very first file. */
async function hasContent(host: Host, path: string): Promise<boolean> {
  const names = await namesIfThere(host.fs, path) ?? [];
  return names.some((name) => name !== UNFINISHED);
}

/** The metadata of the store, its groups and its arrays. */
async function* metadataIn(host: Host, folder: string): AsyncGenerator<string, void> {
  let names: readonly string[];
  try {
    names = await namesIfThere(host.fs, folder) ?? [];
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return; // a file
    throw error;
  }
  if (names.includes("zarr.json")) yield `${folder}/zarr.json`;
  for (const name of names) {
    if (name !== "c" && !name.includes(".json")) yield* metadataIn(host, `${folder}/${name}`);
  }
}
