/**
 * Writing of shards. A shard has one writer, which is the only process that ever writes to it.
 *
 * @module
 */

import { refusal, removal } from "../../base/file_refusal.ts";
import { makeFolder, syncFolder } from "../../base/durable_folder.ts";
import { builtin } from "../../platform/process.ts";
import type { ResultRecord } from "./result.ts";
import { encodeEntries, entryOf, type IndexEntry } from "./shard_index.ts";

/** Number of bytes that are written at once. */
const BLOCK = 1 << 20;

/** The members of an open file that a writer uses. */
interface OpenFile {
  write(bytes: Uint8Array): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A writer of results. It creates a shard of its own with the first result, and no other process writes to this file,
 * so that writers on any machines need no locks. A killed writer may leave an unfinished last line, which readers
 * ignore; a new process begins a new shard.
 *
 * `add` keeps results in memory. After `flush` they survive the end of the process and a power failure: acknowledge
 * a message of a queue after that.
 */
export class ShardWriter {
  /** Name of the shard, without its folder. */
  readonly name: string;
  readonly #folder: string;
  #files: { readonly shard: OpenFile; readonly index: OpenFile } | undefined;
  #waiting: ResultRecord[] = [];
  /** Entries of records that are written, but not yet on the disk. */
  #unindexed: IndexEntry[] = [];
  /** Numbers of bytes that wait, that were written, and that are on the disk. */
  readonly #bytes = { waiting: 0, written: 0, synced: 0 };
  /** Ends of the last write to each file. */
  readonly #ends = { shard: Promise.resolve(), index: Promise.resolve() };
  #failure: { readonly cause: unknown } | undefined;

  /** Creates a writer without touching files. `label` begins the name of the shard. */
  constructor(folder: string, label: string) {
    this.#folder = folder;
    this.name = `${label}-${crypto.randomUUID().slice(0, 13)}.jsonl`;
  }

  /** Adds a record. It is written by `flush`, or when many records wait. */
  add(record: ResultRecord): void {
    this.#waiting.push(record);
    this.#bytes.waiting += record.bytes.length;
    // An error of this write is thrown by the next flush.
    if (this.#bytes.waiting >= BLOCK) {
      this.#ends.shard = this.#write().catch((error) => this.#fail(error));
    }
  }

  /**
   * Writes all records. With `sync` (the default), it waits until they are on the disk; without, until they survive the
   * end of this process.
   *
   * @throws {Error} if the shard cannot be written; the writer is then of no use any more
   */
  async flush({ sync = true }: { readonly sync?: boolean } = {}): Promise<void> {
    this.#throwFailure();
    const writing = this.#ends.shard = this.#write().catch((error) => this.#fail(error));
    await writing;
    this.#throwFailure();
    if (!sync) return;
    // Each call syncs by itself: another one may still wait for the disk.
    const files = this.#files, { written, synced } = this.#bytes;
    if (files === undefined || synced >= written) return;
    // A record whose sync has failed may be lost, even if a later sync succeeds.
    await files.shard.datasync().catch((error) => this.#fail(error));
    this.#throwFailure();
    await this.#assertThere();
    this.#bytes.synced = Math.max(this.#bytes.synced, written);
    this.#ends.index = this.#index(files.index, this.#ends.index).catch((error) =>
      this.#fail(error)
    );
    await this.#ends.index;
    this.#throwFailure();
  }

  /**
   * Writes the entries of the records that are on the disk. Others would promise a record that a power failure may
   * take, and whose item would then never be computed.
   */
  async #index(index: OpenFile, before: Promise<void>): Promise<void> {
    await before;
    const { synced } = this.#bytes;
    const entries = this.#unindexed.filter(({ offset, length }) => offset + length <= synced);
    this.#unindexed = this.#unindexed.slice(entries.length);
    if (entries.length > 0) await writeAll(index, encodeEntries(entries));
  }

  /** Writes all records, and closes the files. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      const files = this.#files;
      this.#files = undefined;
      // A lost index only makes readers slow: its errors need no report.
      await files?.index.datasync().catch(() => {});
      await files?.shard.close();
      await files?.index.close();
    }
  }

  /** Throws an Error if the shard was removed or moved, because its results are then lost. */
  async #assertThere(): Promise<void> {
    const path = `${this.#folder}/${this.name}`;
    await builtin("node:fs/promises").stat(path).catch((cause) => {
      this.#fail(cause);
      throw removal(`Cannot write to ${path}`, "the shard");
    });
  }

  #fail(cause: unknown): void {
    this.#failure ??= { cause };
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return;
    throw refusal(`Cannot write ${this.#folder}/${this.name}`, this.#failure.cause);
  }

  async #write(): Promise<void> {
    const records = this.#waiting, before = this.#ends.shard;
    this.#waiting = [];
    this.#bytes.waiting = 0;
    await before;
    if (records.length === 0 || this.#failure !== undefined) return;
    this.#files ??= await this.#open();
    const { shard } = this.#files, entries: IndexEntry[] = [];
    let end = this.#bytes.written;
    for (const record of records) {
      entries.push(entryOf(record, end));
      end += record.bytes.length;
    }
    await writeAll(shard, joined(records.map(({ bytes }) => bytes)));
    this.#bytes.written = end;
    this.#unindexed.push(...entries);
  }

  async #open(): Promise<{ readonly shard: OpenFile; readonly index: OpenFile }> {
    const fs = builtin("node:fs/promises"), path = `${this.#folder}/${this.name}`;
    await makeFolder(fs, this.#folder);
    // A file of this name must not exist: a shard has one writer.
    const shard = await fs.open(path, "wx"), index = await fs.open(indexPath(path), "wx");
    await syncFolder(fs, this.#folder);
    return { shard, index };
  }
}

/** Returns the path of the index of a shard. */
export function indexPath(shard: string): string {
  return shard.replace(/\.jsonl$/, ".index");
}

async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten);
}

function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
