/**
 * Compares a store with its check sums.
 *
 * @module
 */

import { CHANGED, type CheckedPart } from "../damage.ts";
import { codeOf } from "../files/open_file.ts";
import { type Host, namesIfThere } from "./files.ts";
import { isSealed } from "./metadata.ts";
import { StoredArray } from "./stored_array.ts";
import { StoreView } from "./store_view.ts";

/** Compares all metadata and all chunks. Holes in shards, which hold no data, are not looked at. */
export async function* checkStore(host: Host, path: string): AsyncGenerator<CheckedPart, void> {
  const folders: string[] = [];
  let isOurs = false;
  for await (const file of metadataIn(host, path)) {
    const text = new TextDecoder().decode(await host.fs.readFile(file));
    const sealed = isSealed(text);
    const part = { place: file, isSummed: sealed !== undefined, systems: 0 };
    isOurs ||= part.isSummed;
    yield sealed === false ? { ...part, reason: CHANGED } : part;
    folders.push(file.slice(0, file.lastIndexOf("/")));
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
      (bytes) => bytes === undefined ? { ...part, reason: "it is missing" } : part,
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
