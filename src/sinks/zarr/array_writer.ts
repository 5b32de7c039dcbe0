/**
 * Writes one array: its waiting rows, its shards and its metadata.
 *
 * @module
 */

import type { ArrayMetadata } from "./array_metadata.ts";
import type { ChunkPacker, Shrinkage } from "./chunk_packer.ts";
import { Column, type OnChunk } from "./column.ts";
import { foldersOf, type Host, replaceText } from "./files.ts";
import type { ArrayPlan } from "./layout.ts";
import { arrayMetadata, CHUNKS_PER_SHARD, type Packing } from "./metadata.ts";
import { ShardFile } from "./shard_file.ts";

/** Size and compression of the chunks of an array. */
export interface ChunkLayout {
  readonly chunkRows: number;
  readonly packing: Packing;
}

/** State in which the writing of an array begins. */
export interface ArrayStart extends ChunkLayout {
  readonly host: Host;
  /** Packs the chunks of all arrays of the store, one after the other. */
  readonly packer: ChunkPacker;
  /** Folder of the store. */
  readonly root: string;
  readonly rows: number;
  readonly onChunk: OnChunk;
  /** Number of rows in its metadata; missing if the array does not exist yet. */
  readonly shape?: number;
  readonly tail?: Uint8Array;
}

/** Writer of one array. Its column takes rows at once; all other work runs in the order of the queue. */
export class ArrayWriter {
  readonly column: Column;
  /** Folders with new or renamed files, which must be synced before the root of the store refers to those files. */
  readonly folders: Set<string> = new Set<string>();
  readonly #host: Host;
  readonly #folder: string;
  readonly #root: string;
  readonly #packer: ChunkPacker;
  readonly #packing: Packing;
  readonly #shrinkage: Shrinkage = { stored: 0 };
  /** Number of rows in the metadata; `undefined` if the array does not exist yet. */
  #shape: number | undefined;
  /** Number of chunks that existed when the writer was created. */
  readonly #kept: number;
  #shard: { readonly at: number; readonly file: ShardFile } | undefined;

  constructor(plan: ArrayPlan, start: ArrayStart) {
    this.#host = start.host;
    this.#root = start.root;
    this.#folder = `${start.root}/${plan.path}`;
    this.#packer = start.packer;
    this.#packing = start.packing;
    this.#shape = start.shape;
    this.#kept = start.shape === undefined ? 0 : Math.ceil(start.rows / start.chunkRows);
    this.column = new Column(plan, start.chunkRows, start);
  }

  /**
   * Writes the bytes of a chunk, which is full or the incomplete one at the end of the array. If `bytes` is
   * `undefined`, the chunk equals the one before it in its shard. Arrays of a store must not be written
   * concurrently with the same `packer`, because they would share its buffer.
   */
  async put(
    chunk: number,
    bytes: Uint8Array | undefined,
    packer: ChunkPacker = this.#packer,
  ): Promise<void> {
    const shard = await this.#shardOf(chunk), at = chunk % CHUNKS_PER_SHARD;
    if (bytes === undefined) shard.repeat(at);
    else await shard.put(at, packer.pack(bytes, this.#packing, this.#shrinkage));
  }

  /** Writes the index of the open shard. Readers find the chunks once the metadata counts their rows. */
  async commit(): Promise<void> {
    await this.#shard?.file.commit();
  }

  /** Writes the number of rows into the metadata, which takes effect once `after` resolves. */
  async writeRowCount(rows: number, after: Promise<void>): Promise<void> {
    if (rows === this.#shape) return;
    const { plan, chunkRows } = this.column;
    if (this.#shape === undefined) await this.#host.fs.mkdir(this.#folder, { recursive: true });
    const text = arrayMetadata(plan, rows, { chunkRows, packing: this.#packing });
    const path = `${this.#folder}/zarr.json`;
    await replaceText(this.#host.fs, path, { text, after });
    this.#renamed(path);
    this.#shape = rows;
  }

  /**
   * Closes the open shard. If `isWell` is true, first commits it and removes its unused space. After an error, the
   * file stays unchanged.
   */
  async close(isWell: boolean): Promise<void> {
    const shard = this.#shard;
    this.#shard = undefined;
    await (isWell ? shard?.file.finish() : shard?.file.close());
  }

  #renamed(path: string): void {
    for (const folder of foldersOf(this.#root, path)) this.folders.add(folder);
  }

  async #shardOf(chunk: number): Promise<ShardFile> {
    const at = Math.floor(chunk / CHUNKS_PER_SHARD);
    if (this.#shard?.at === at) return this.#shard.file;
    // Chunks come in order, so the previous shard is complete.
    await this.close(true);
    const kept = Math.min(this.#kept - at * CHUNKS_PER_SHARD, CHUNKS_PER_SHARD);
    const place = ["c", at, ...this.column.plan.rest.map(() => 0)].join("/");
    const path = `${this.#folder}/${place}`, { fs } = this.#host;
    this.#renamed(path);
    const file = kept > 0 ? await ShardFile.open(fs, path, kept) : await ShardFile.make(fs, path);
    this.#shard = { at, file };
    return file;
  }
}

/**
 * Returns the layout of the chunks of an existing array, with the compression level `level` for new chunks;
 * `undefined` if the layout differs from the layouts that Hooke writes.
 */
export function chunkLayoutOf(
  { chunk, shape, sharding, decoding }: ArrayMetadata,
  level: number,
): ChunkLayout | undefined {
  const isWhole = chunk.every((size, i) => i === 0 || size === shape[i]) &&
    sharding?.chunks[0] === CHUNKS_PER_SHARD && sharding.isIndexAtEnd;
  const [sum, packed, ...more] = decoding.unpack;
  const isPlain = sum === "crc32c" && !decoding.isBigEndian && more.length === 0 &&
    (packed === undefined || packed === "zstd");
  if (!isWhole || !isPlain) return undefined;
  const compression = packed === undefined ? "none" : "zstd";
  return { chunkRows: chunk[0]!, packing: { compression, level } };
}
