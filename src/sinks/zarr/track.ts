/**
 * An array that is being written: what waits for it, its shards, its metadata.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";
import type { ArrayMetadata } from "./array_metadata.ts";
import { Column, type Tail, type TakeChunk } from "./column.ts";
import { type Compression, foldersOf, type Host, replaceText } from "./files.ts";
import type { ArrayPlan } from "./layout.ts";
import { arrayMetadata, CHUNKS_PER_SHARD, type Packing } from "./metadata.ts";
import { ShardFile } from "./shard_file.ts";

/** How an array is cut and packed. */
export interface Cutting {
  readonly chunkRows: number;
  readonly packing: Packing;
}

/** Where an array is to go on. */
export interface TrackStart extends Cutting {
  readonly host: Host;
  /** The folder of the store. */
  readonly root: string;
  readonly rows: number;
  readonly take: TakeChunk;
  /** Rows that its metadata tells of now; none for an array that is not there yet. */
  readonly shape?: number;
  readonly tail?: Uint8Array;
}

/** One array. Its column takes rows at once; everything else is done in turn. */
export class Track {
  readonly column: Column;
  /** Folders with files that are new there: the disk must take their entries before the store has them. */
  readonly folders: Set<string> = new Set<string>();
  readonly #host: Host;
  readonly #folder: string;
  readonly #root: string;
  readonly #packing: Packing;
  /** Rows that the metadata tells of. */
  #shape: number | undefined;
  /** Chunks that were there in the beginning. */
  readonly #kept: number;
  #shard: { readonly at: number; readonly file: ShardFile } | undefined;

  constructor(plan: ArrayPlan, start: TrackStart) {
    this.#host = start.host;
    this.#root = start.root;
    this.#folder = `${start.root}/${plan.path}`;
    this.#packing = start.packing;
    this.#shape = start.shape;
    this.#kept = start.shape === undefined ? 0 : Math.ceil(start.rows / start.chunkRows);
    this.column = new Column(plan, start.chunkRows, start);
  }

  /** The bytes of a chunk as they are in the file, with their check sum. */
  async pack(bytes: Uint8Array): Promise<Uint8Array> {
    const { compression, level } = this.#packing;
    return withSum(compression === "none" ? bytes : await zstd(this.#host.zlib, bytes, level));
  }

  /** Writes a whole chunk, or the beginning of what will be one. */
  async put(chunk: number, packed: Uint8Array): Promise<void> {
    const shard = await this.#shardOf(chunk);
    await shard.put(chunk % CHUNKS_PER_SHARD, packed);
  }

  /** Writes what will be a chunk. */
  async putTail({ chunk, bytes }: Tail): Promise<void> {
    await this.put(chunk, await this.pack(bytes));
  }

  /** Has readers find what was put, once the metadata tells of it. */
  async commit(): Promise<void> {
    await this.#shard?.file.commit();
  }

  /** Has the metadata tell of so many rows. */
  async tell(rows: number): Promise<void> {
    if (rows === this.#shape) return;
    const { plan, chunkRows } = this.column;
    if (this.#shape === undefined) await this.#host.fs.mkdir(this.#folder, { recursive: true });
    const text = arrayMetadata(plan, rows, { chunkRows, packing: this.#packing });
    const path = `${this.#folder}/zarr.json`;
    await replaceText(this.#host.fs, path, { text });
    this.#renamed(path);
    this.#shape = rows;
  }

  /** Closes its files; tidies them up first unless something went wrong with them. */
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

function withSum(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(bytes.length + 4);
  whole.set(bytes);
  new DataView(whole.buffer).setUint32(bytes.length, crc32c(bytes), true);
  return whole;
}

function zstd(zlib: Compression, bytes: Uint8Array, level: number): Promise<Uint8Array> {
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: level };
  return new Promise((resolve, reject) => {
    zlib.zstdCompress(bytes, { params }, (error, packed) => {
      if (error === null) resolve(packed);
      else reject(error);
    });
  });
}

/** How an array that is there is cut and packed, or `undefined` where it is not as we do it. */
export function cuttingOf(
  { chunk, shape, sharding, decoding }: ArrayMetadata,
  level: number,
): Cutting | undefined {
  const isWhole = chunk.every((size, i) => i === 0 || size === shape[i]) &&
    sharding?.chunks[0] === CHUNKS_PER_SHARD && sharding.isIndexAtEnd;
  const [sum, packed, ...more] = decoding.unpack;
  const isPlain = sum === "crc32c" && !decoding.isBigEndian && more.length === 0 &&
    (packed === undefined || packed === "zstd");
  if (!isWhole || !isPlain) return undefined;
  const compression = packed === undefined ? "none" : "zstd";
  return { chunkRows: chunk[0]!, packing: { compression, level } };
}
