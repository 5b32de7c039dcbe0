/**
 * Reading of shards while they are written.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";
import { readRecord, type ResultRecord } from "./result.ts";
import { decodeEntries, ENTRY_BYTES, entryOf, type IndexEntry } from "./shard_index.ts";
import { indexPath } from "./shard_writer.ts";

/** Number of bytes that are read at once. */
const BLOCK = 1 << 22;

/** Lines of a shard that are damaged. */
export interface ShardDamage {
  /** Path of the shard. */
  readonly shard: string;
  /** Offset of the damaged line, bytes. */
  readonly offset: number;
}

/** A shard, and the position up to which it was read. */
export class ShardReader {
  readonly path: string;
  /** Offset up to which the shard was read. */
  #end = 0;
  /** Number of entries of the index that were read. */
  #indexed = 0;
  /** False after the index was found incomplete or damaged. */
  #hasIndex = true;

  constructor(path: string) {
    this.path = path;
  }

  /** Offset up to which the shard was read, bytes. */
  get end(): number {
    return this.#end;
  }

  /** Returns the records that were written since the last call, and the damage among them. */
  async refresh(): Promise<{ readonly entries: IndexEntry[]; readonly damage: ShardDamage[] }> {
    const entries = this.#hasIndex ? await this.#fromIndex() : [], damage: ShardDamage[] = [];
    const { size } = await builtin("node:fs/promises").stat(this.path);
    if (size <= this.#end) return { entries, damage };
    const before = this.#end;
    await this.#fromShard(size, entries, damage);
    // The index lags behind a writer for a moment, and permanently behind a killed one.
    if (this.#end > before) this.#hasIndex = false;
    return { entries, damage };
  }

  async #fromIndex(): Promise<IndexEntry[]> {
    const bytes = await readFrom(indexPath(this.path), this.#indexed * ENTRY_BYTES);
    const { size } = await builtin("node:fs/promises").stat(this.path);
    const all = bytes === undefined ? [] : decodeEntries(bytes, this.#end);
    const entries = all.filter(({ offset, length }) => offset + length <= size);
    this.#indexed += entries.length;
    const last = entries.at(-1);
    if (last !== undefined) this.#end = last.offset + last.length;
    return entries;
  }

  async #fromShard(size: number, entries: IndexEntry[], damage: ShardDamage[]): Promise<void> {
    const file = await builtin("node:fs/promises").open(this.path, "r");
    try {
      let kept = new Uint8Array(0);
      let position = this.#end;
      while (position < size) {
        const block = new Uint8Array(kept.length + Math.min(BLOCK, size - position));
        block.set(kept);
        const { bytesRead } = await file.read(
          block,
          kept.length,
          block.length - kept.length,
          position,
        );
        if (bytesRead === 0) break;
        position += bytesRead;
        const bytes = block.subarray(0, kept.length + bytesRead);
        const used = this.#lines(bytes, entries, damage);
        kept = bytes.slice(used);
      }
    } finally {
      await file.close();
    }
  }

  /** Reads the whole lines in some bytes. Returns the number of bytes that were read. */
  #lines(bytes: Uint8Array<ArrayBuffer>, entries: IndexEntry[], damage: ShardDamage[]): number {
    let from = 0;
    for (let newline; (newline = bytes.indexOf(10, from)) !== -1; from = newline + 1) {
      const line = bytes.slice(from, newline + 1), record = readRecord(line);
      if (record === undefined) damage.push({ shard: this.path, offset: this.#end });
      else entries.push(entryOf(record, this.#end));
      this.#end += line.length;
    }
    return from;
  }
}

/** Reads the record of an entry. Throws an Error if it is damaged. */
export async function readEntry(path: string, entry: IndexEntry): Promise<ResultRecord> {
  const file = await builtin("node:fs/promises").open(path, "r");
  try {
    const bytes = new Uint8Array(entry.length);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, entry.offset);
    const record = bytesRead === bytes.length ? readRecord(bytes) : undefined;
    if (record?.id === entry.id) return record;
  } finally {
    await file.close();
  }
  throw new Error(
    `Cannot read the result ${entry.id}: ${path} is damaged at byte ${entry.offset}. Remove the index beside it to ` +
      "read the shard again; results that are lost are computed again by the next run",
  );
}

async function readFrom(path: string, from: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const fs = builtin("node:fs/promises");
  try {
    const file = await fs.open(path, "r");
    try {
      const { size } = await file.stat();
      const bytes = new Uint8Array(Math.max(0, size - from));
      let at = 0;
      while (at < bytes.length) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
        if (bytesRead === 0) break;
        at += bytesRead;
      }
      return bytes.subarray(0, at);
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  }
}
