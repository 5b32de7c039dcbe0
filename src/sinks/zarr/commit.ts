/**
 * Commits, which make written data part of a store.
 *
 * A commit writes in this order: chunks with the rows of all arrays, the indexes of their shards, the number
 * of rows of each array, and last the number of systems in the root. The new systems are part of the store
 * from the moment the root is replaced; if the process is killed before, readers find the previous state.
 * Each of these is synced before the next is visible, so the order holds after a power failure, too.
 *
 * A run gives the event loop a turn only every 50 ms, and each awaited call of the file system takes at least one turn.
 * Therefore calls whose order does not matter run concurrently: the arrays among each other, and temporary files with
 * new metadata beside the chunks. Only the renaming of a temporary file waits for all that the metadata refers to.
 *
 * @module
 */

import type { Level } from "../../batch/fields/fields.ts";
import { syncFolder } from "../../base/durable_folder.ts";
import type { ArrayWriter } from "./array_writer.ts";
import { ChunkPacker } from "./chunk_packer.ts";
import type { Tail } from "./column.ts";
import { foldersOf, type Host, replaceText } from "./files.ts";
import type { Rows } from "./known_fields.ts";
import { MASKS } from "./layout.ts";
import { arrayMetadata, rootMetadata } from "./metadata.ts";

/** Number of systems, atoms, edges, and bytes of text in a store. */
export type Totals = Readonly<Record<Level | "text", number>>;

/** The state of the store that a commit writes. */
export interface Commit {
  readonly totals: Totals;
  readonly fields: Readonly<Record<string, Record<string, string>>>;
  readonly parts: readonly {
    readonly array: ArrayWriter;
    readonly rows: number;
    readonly tail?: Tail;
  }[];
}

/** Rows per chunk of masks. */
const MASK_ROWS = 1 << 20;

/** Writes a commit. `masks` are the numbers of rows in the metadata of the masks; returns the new ones. */
export async function writeCommit(
  { host: { fs, zlib }, path }: { readonly host: Host; readonly path: string },
  { totals, fields, parts }: Commit,
  masks: Rows,
): Promise<Rows> {
  // 1. Chunks and the indexes of their shards: not visible yet, because the metadata counts fewer rows.
  const chunks = settled(parts.map(async ({ array, tail }) => {
    // Concurrent writes need a buffer of packed bytes each.
    if (tail !== undefined) await array.put(tail.chunk, tail.bytes, new ChunkPacker(zlib));
    await array.commit();
  }));
  // 2. The number of rows of each array: not used yet, because the root counts fewer systems.
  const changed = (["node", "edge", "system"] as const).filter((at) => masks[at] !== totals[at]);
  const maskFiles = changed.map((level) => ({
    file: `${path}/${MASKS[level].path}/zarr.json`,
    text: arrayMetadata(MASKS[level], totals[level], { chunkRows: MASK_ROWS }),
  }));
  const counts = settled([
    chunks,
    ...parts.map(({ array, rows }) => array.writeRowCount(rows, chunks)),
    ...maskFiles.map(({ file, text }) => replaceText(fs, file, { text, after: chunks })),
  ]);
  // 3. The folders of new and renamed files. Everything that the root refers to must be on the disk before
  // the root does.
  const folders = counts.then(() => {
    const all = parts.flatMap(({ array }) => [...array.folders]);
    all.push(...maskFiles.flatMap(({ file }) => foldersOf(path, file)));
    return settled(Array.from(new Set(all), (folder) => syncFolder(fs, folder)));
  });
  // 4. The root. Its temporary file is in another folder, because readers report unknown files in the
  // root's folder.
  const beside = `${path}/${MASKS.system.path}/root.tmp`;
  const text = rootMetadata(totals.system, fields);
  await settled([
    folders,
    replaceText(fs, `${path}/zarr.json`, { text, beside, after: folders }),
  ]);
  for (const { array } of parts) array.folders.clear();
  await syncFolder(fs, path);
  const { system, node, edge } = totals;
  return { system, node, edge };
}

/** Waits for all promises, then throws the first error. */
export async function settled(all: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(all)) {
    if (result.status === "rejected") throw result.reason;
  }
}
