/**
 * Shards while they are written: chunks, followed by an index of their places.
 *
 * A reader, or a process that is killed at any moment, must always find a valid index at the end of the file,
 * and every chunk that this index refers to. Three rules ensure that. New chunks are written only where the
 * index in the file refers to nothing: into the unused space before it. The index fits into one memory page
 * and starts at the beginning of one, so it is written entirely or not at all. If the unused space is too
 * small, the file first gets a copy of its index further on, and the old index becomes unused space. `finish`
 * removes the unused space of a complete shard.
 *
 * Several entries of an index may refer to the same bytes: a chunk that equals the one before it is stored once.
 *
 * @module
 */

import { parentOf } from "../../base/durable_folder.ts";
import { crc32c } from "../../base/crc32c.ts";
import { codeOf } from "../files/open_file.ts";
import { readAt } from "../files/open_file.ts";
import { type FileSystem, type OpenFile, writeAt } from "./files.ts";
import { CHUNKS_PER_SHARD } from "./metadata.ts";

/** Size of an index in bytes: place and length of each chunk, and a checksum. */
export const INDEX_SIZE: number = 16 * CHUNKS_PER_SHARD + 4;

const PAGE = 4096;
/** Value of position and length of a chunk that does not exist: all bits are set. */
const ABSENT = -1;

/** A range of bytes of the file. */
interface Region {
  from: number;
  size: number;
}

/** A shard that is being written. */
export class ShardFile {
  readonly #file: OpenFile;
  /** Position and length of each chunk in bytes, two numbers per chunk, for the next index. */
  readonly #entries: Float64Array;
  /** Bytes of the index in the file. */
  #written: Uint8Array<ArrayBuffer>;
  /** Position of the index in the file. */
  #indexAt: number;
  /** Position of the end of the last chunk. */
  #end: number;
  /** Regions before the end of the last chunk that can be written to. */
  readonly #free: Region[] = [];
  /** Regions that become free when the index in the file no longer points to them. */
  readonly #old: Region[] = [];
  #isChanged = false;
  /** True if written bytes may not be on the disk yet. */
  #isDirty = false;

  private constructor(file: OpenFile, entries: Float64Array, indexAt: number) {
    this.#file = file;
    this.#entries = entries;
    this.#written = indexBytes(entries);
    this.#indexAt = indexAt;
    this.#end = 0;
    for (let i = 0; i < CHUNKS_PER_SHARD; i++) {
      if (entries[2 * i] !== ABSENT) {
        this.#end = Math.max(this.#end, entries[2 * i]! + entries[2 * i + 1]!);
      }
    }
  }

  /** Creates a shard in place of any existing file. The caller must sync its folders to the disk. */
  static async make(fs: FileSystem, path: string): Promise<ShardFile> {
    await fs.mkdir(parentOf(path), { recursive: true });
    return new ShardFile(await fs.open(path, "w+"), absentEntries(), 0);
  }

  /**
   * Opens an existing shard and keeps its first `chunks` chunks. If the file does not exist, an empty shard
   * is created.
   */
  static async open(fs: FileSystem, path: string, chunks: number): Promise<ShardFile> {
    let file: OpenFile;
    try {
      file = await fs.open(path, "r+");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return await ShardFile.make(fs, path);
      throw error;
    }
    try {
      const indexAt = (await file.stat()).size - INDEX_SIZE;
      const entries = readIndex(await readAt(file, Math.max(0, indexAt), INDEX_SIZE), path);
      entries.fill(ABSENT, 2 * chunks);
      return new ShardFile(file, entries, indexAt);
    } catch (error) {
      await file.close().catch(() => {}); // the first error is the cause
      throw error;
    }
  }

  /** Writes a chunk, which may replace an earlier state of it. Readers see it after `commit`. */
  async put(chunk: number, bytes: Uint8Array): Promise<void> {
    const from = await this.#room(bytes.length);
    await this.#write(bytes, from);
    this.#refer(chunk, { from, size: bytes.length });
  }

  /**
   * Makes the index refer to the bytes of the chunk before it for a chunk, too. Readers treat entries of the index
   * independently, so they need not know that both are equal.
   */
  repeat(chunk: number): void {
    const before = 2 * (chunk - 1);
    this.#refer(chunk, { from: this.#entries[before]!, size: this.#entries[before + 1]! });
  }

  #refer(chunk: number, { from, size }: Readonly<Region>): void {
    const old = this.#entries[2 * chunk]!, oldSize = this.#entries[2 * chunk + 1]!;
    this.#entries[2 * chunk] = from;
    this.#entries[2 * chunk + 1] = size;
    this.#isChanged = true;
    // Another chunk may still refer to these bytes, if both were equal.
    const isShared = this.#entries.some((at, i) => i % 2 === 0 && at === old);
    if (oldSize !== ABSENT && !isShared) this.#old.push({ from: old, size: oldSize });
  }

  /**
   * Makes new chunks visible to readers. The data is synced before the index is written: the index never
   * refers to data that a power failure may lose.
   */
  async commit(): Promise<void> {
    // A new shard has its index at 0, or at any position if it was finished before: move it to the start of a
    // page.
    if (this.#isChanged && this.#indexAt % PAGE !== 0) await this.#widen(this.#end);
    await this.#sync();
    if (!this.#isChanged) return;
    this.#written = indexBytes(this.#entries);
    await this.#write(this.#written, this.#indexAt);
    await this.#sync();
    this.#isChanged = false;
    this.#giveBack();
  }

  async #write(bytes: Uint8Array, at: number): Promise<void> {
    this.#isDirty = true;
    await writeAt(this.#file, bytes, at);
  }

  async #sync(): Promise<void> {
    if (!this.#isDirty) return;
    await this.#file.datasync();
    this.#isDirty = false;
  }

  /** Commits, removes the unused space, and closes the file. */
  async finish(): Promise<void> {
    await this.commit();
    // A kill may leave half of the copy, so the copy must not overlap the index that is in use.
    if (this.#indexAt >= this.#end + INDEX_SIZE) {
      await this.#write(this.#written, this.#end);
      await this.#sync();
      await this.#file.truncate(this.#end + INDEX_SIZE);
      this.#isDirty = true;
    }
    await this.#sync();
    await this.close();
  }

  /** Closes the file without changing it. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  /**
   * Frees the regions that the index in the file no longer refers to. Adjacent regions are merged, and a
   * region at the end is cut off.
   */
  #giveBack(): void {
    const all = [...this.#free, ...this.#old].sort((a, b) => a.from - b.from);
    this.#old.length = this.#free.length = 0;
    for (const region of all) {
      const last = this.#free.at(-1);
      if (last !== undefined && last.from + last.size === region.from) last.size += region.size;
      else this.#free.push(region);
    }
    const last = this.#free.at(-1);
    if (last !== undefined && last.from + last.size === this.#end) {
      this.#end = last.from;
      this.#free.pop();
    }
  }

  /**
   * Reserves `size` bytes in a free region or at the end of the chunks, and returns their position. If the chunks
   * would reach the index, the index is moved first.
   */
  async #room(size: number): Promise<number> {
    const gap = this.#free.findIndex((region) => region.size >= size);
    if (gap !== -1) {
      const region = this.#free[gap]!, { from } = region;
      region.from += size;
      region.size -= size;
      if (region.size === 0) this.#free.splice(gap, 1);
      return from;
    }
    const from = this.#end;
    if (from + size > this.#indexAt) await this.#widen(from + size);
    this.#end = from + size;
    return from;
  }

  /** Moves the index behind the position `end`, with room for the chunks to grow. */
  async #widen(end: number): Promise<void> {
    // Doubling the size keeps the number of moves logarithmic.
    const least = Math.max(end, 2 * this.#end, this.#indexAt + INDEX_SIZE);
    const indexAt = Math.ceil(least / PAGE) * PAGE;
    // The copy has the content of the old index, so both are valid; from now on the old place is unused
    // space.
    await this.#write(this.#written, indexAt);
    this.#indexAt = indexAt;
  }
}

function absentEntries(): Float64Array {
  return new Float64Array(2 * CHUNKS_PER_SHARD).fill(ABSENT);
}

function indexBytes(entries: Float64Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(INDEX_SIZE), view = new DataView(bytes.buffer);
  for (let i = 0; i < entries.length; i++) {
    const value = entries[i]!;
    view.setBigUint64(8 * i, value === ABSENT ? 0xffffffffffffffffn : BigInt(value), true);
  }
  view.setUint32(INDEX_SIZE - 4, crc32c(bytes.subarray(0, INDEX_SIZE - 4)), true);
  return bytes;
}

function readIndex(bytes: Uint8Array<ArrayBuffer>, path: string): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const isWhole = bytes.length === INDEX_SIZE &&
    view.getUint32(INDEX_SIZE - 4, true) === crc32c(bytes.subarray(0, INDEX_SIZE - 4));
  if (!isWhole) {
    throw new SyntaxError(
      `Cannot open ${path}: the index at its end is damaged`,
    );
  }
  return Float64Array.from({ length: 2 * CHUNKS_PER_SHARD }, (_, i) => {
    const value = view.getBigUint64(8 * i, true);
    return value === 0xffffffffffffffffn ? ABSENT : Number(value);
  });
}
