/**
 * Writes a store.
 *
 * A commit writes in this order: chunks with the rows of all arrays, the indexes of their shards, the number
 * of rows of each array, and last the number of systems in the root. The new systems are part of the store
 * from the moment the root is replaced; if the process is killed before, readers find the previous state.
 * Each of these is synced before the next is written, so the order holds after a power failure, too.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { FieldInfo, Level, NumericArray } from "../../batch/fields/fields.ts";
import { syncFolder } from "../../base/durable_folder.ts";
import type { Tail } from "./column.ts";
import { foldersOf, type Host, replaceText } from "./files.ts";
import { infoText } from "./info_text.ts";
import { newFields, type Rows } from "./known_fields.ts";
import {
  type ArrayPlan,
  INFO_TEXT,
  LEVEL_NAMES,
  MASKS,
  planOf,
  POINTERS,
  type ZarrPrecision,
} from "./layout.ts";
import { arrayMetadata, type Packing, rootMetadata } from "./metadata.ts";
import { type ArrayStart, ArrayWriter, type ChunkLayout } from "./array_writer.ts";

/** Settings of a store's writer. */
export interface WriterSetting {
  readonly host: Host;
  /** The folder of the store. */
  readonly path: string;
  readonly precision: ZarrPrecision;
  readonly packing: Packing;
  /** Approximate size of a chunk in bytes. */
  readonly chunkBytes: number;
  /** Enqueues work to run in order, and counts the bytes that it holds. */
  readonly enqueue: (work: () => Promise<void>, bytes: number) => void;
}

/** Number of systems, atoms, edges, and bytes of text in a store. */
export type Totals = Readonly<Record<Level | "text", number>>;

/** State of an array that exists already, or of a new array. */
export type Resumed = Pick<ArrayStart, "rows" | "shape" | "tail"> & ChunkLayout;

/**
 * Rows per chunk of fields per system and of pointers. `MOST_TEXT` is the largest number for texts, and `MASK_ROWS`
 * the number for masks.
 */
const FEW = 1024;
const MOST_TEXT = 1 << 15;
const MASK_ROWS = 1 << 20;

/** The state of the store that a commit writes. */
interface Commit {
  readonly totals: Totals;
  readonly fields: Readonly<Record<string, Record<string, string>>>;
  readonly parts: readonly {
    readonly array: ArrayWriter;
    readonly rows: number;
    readonly tail?: Tail;
  }[];
}

/**
 * Appends systems to a store. After an error in the background the writer is broken: the store must be opened again.
 */
export class StoreWriter {
  readonly #setting: WriterSetting;
  readonly #arrays = new Map<string, ArrayWriter>();
  readonly #fields = new Map<string, { readonly info: FieldInfo; readonly array: ArrayWriter }>();
  readonly #infos = new Map<string, FieldInfo>();
  readonly #totals: Record<Level | "text", number>;
  /** Number of systems in the last prepared commit, and number of rows in the metadata of the masks. */
  #prepared: number;
  #masks: Rows;
  /** Number of systems that are part of the store. */
  #committed: number;
  #isBroken = false;

  constructor(setting: WriterSetting, totals: Totals, masks: Rows) {
    this.#setting = setting;
    this.#totals = { ...totals };
    this.#prepared = totals.system;
    this.#committed = totals.system;
    this.#masks = masks;
  }

  /** Number of systems, including systems that are not written yet. */
  get size(): number {
    return this.#isBroken ? this.#committed : this.#totals.system;
  }

  /** True if all systems are in a commit that was written or enqueued. */
  get isUpToDate(): boolean {
    return this.#prepared === this.#totals.system;
  }

  /** True after an error. The store must then be opened again. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Begins to write an array, which may exist already or belong to a new store. */
  resume(plan: ArrayPlan, resumed: Resumed): void {
    this.#addArray(plan, resumed);
  }

  /**
   * Copies systems into the chunks.
   *
   * @throws {TypeError} if fields do not agree with those of the store, or an `info` is not plain data; no
   * system is added then
   */
  add(batch: Batch, fields: readonly FieldInfo[]): void {
    const stored = this.#totals,
      texts = batch.infos.map((info) => infoText(info, this.#setting.path));
    const added = { system: batch.size, node: batch.nodeCount, edge: batch.edgeCount };
    const fresh = newFields(this.#infos, fields, { path: this.#setting.path, stored, added });
    for (const info of fresh) this.#begin(info, batch);
    const given = new Set(fields.map(({ name }) => name));
    for (const { info, array } of this.#fields.values()) {
      if (!given.has(info.name)) array.column.addFill(added[info.level]);
      else {
        const base = info.name === "edges" ? stored.node : 0;
        array.column.add(batch.get(info.name), 0, added[info.level], base);
      }
    }
    this.#addPointers(batch);
    this.#addInfos(texts);
    for (const level of ["system", "node", "edge"] as const) stored[level] += added[level];
  }

  /** Enqueues a commit: all systems so far become part of the store when its turn comes. */
  commit(): void {
    const commit = this.#prepareCommit();
    const bytes = commit.parts.reduce((sum, { tail }) => sum + (tail?.bytes.length ?? 0), 0);
    this.#inTurn(() => this.#commit(commit), bytes);
  }

  /** Commits all systems immediately. Call it only if the queue is empty. */
  async commitNow(): Promise<void> {
    await this.#unlessBroken(() => this.#commit(this.#prepareCommit()));
  }

  /**
   * Closes all files. Unless the writer is broken, first commits the chunks of each shard and removes its unused
   * space.
   */
  async close(): Promise<void> {
    await settled(Array.from(this.#arrays.values(), (array) => array.close(!this.#isBroken)));
  }

  #addArray(plan: ArrayPlan, { rows, chunkRows, packing, ...more }: Resumed): ArrayWriter {
    const { host, path: root } = this.#setting;
    const array: ArrayWriter = new ArrayWriter(plan, {
      host,
      root,
      rows,
      chunkRows,
      packing,
      ...more,
      onChunk: (column, chunk, bytes) => {
        const packing = array.pack(bytes);
        packing.catch(() => {}); // the enqueued work below reports it
        this.#inTurn(async () => {
          await array.put(chunk, await packing);
          column.recycle(bytes);
        }, bytes.length);
      },
    });
    this.#arrays.set(plan.path, array);
    const { field } = plan;
    if (field !== undefined) {
      this.#fields.set(field.name, { info: field, array });
      this.#infos.set(field.name, field);
    }
    return array;
  }

  #begin(info: FieldInfo, batch: Batch): void {
    const plan = planOf(info, this.#setting.precision);
    const rows = this.#totals[info.level];
    this.#addArray(plan, { rows, ...this.#chunkLayout(plan, info.level, batch) });
  }

  /**
   * Returns the layout of an array's chunks: near `chunkBytes` in size and, if all systems are equally large, with
   * the rows of a whole number of systems, so that reading a system reads one chunk.
   */
  #chunkLayout(plan: ArrayPlan, level: Level, { size, nodeCount, edgeCount }: Batch): ChunkLayout {
    const { packing, chunkBytes } = this.#setting;
    const rowBytes = plan.rest.reduce((a, b) => a * b, 8);
    const most = Math.max(1, Math.floor(chunkBytes / rowBytes));
    const own = Math.ceil((level === "node" ? nodeCount : edgeCount) / size);
    if (level === "system" || own === 0) return { packing, chunkRows: Math.min(most, FEW) };
    const chunkRows = own <= most
      ? own * Math.floor(most / own)
      : Math.ceil(own / Math.ceil(own / most));
    return { packing, chunkRows };
  }

  #addPointers({ nodeOffsets, edgeOffsets, size }: Batch): void {
    const { node, edge } = this.#totals;
    const add = (plan: ArrayPlan, offsets: NumericArray, base: number) =>
      this.#arrays.get(plan.path)!.column.add(offsets, 1, size + 1, base);
    add(POINTERS.node, nodeOffsets, node);
    add(POINTERS.edge, edgeOffsets, edge);
  }

  /** Adds the texts of `info`. The arrays are begun with the first system that has an `info`. */
  #addInfos(texts: readonly Uint8Array[]): void {
    const { packing, chunkBytes } = this.#setting;
    if (!this.#arrays.has(INFO_TEXT.path)) {
      if (texts.every(({ length }) => length === 0)) return;
      this.#addArray(INFO_TEXT, { rows: 0, chunkRows: Math.min(chunkBytes, MOST_TEXT), packing });
      this.#addArray(POINTERS.info, { rows: this.#totals.system + 1, chunkRows: FEW, packing });
    }
    const [text, pointers] = [INFO_TEXT, POINTERS.info].map(({ path }) =>
      this.#arrays.get(path)!.column
    );
    for (const own of texts) {
      text!.add(own, 0, own.length);
      this.#totals.text += own.length;
      pointers!.add(Float64Array.of(this.#totals.text), 0, 1);
    }
  }

  #prepareCommit(): Commit {
    this.#prepared = this.#totals.system;
    const fields: Record<string, Record<string, string>> = { core: {}, custom: {} };
    for (const { info, array } of this.#fields.values()) {
      const [group, stored] = array.column.plan.path.split("/") as [string, string];
      fields[group]![stored] = LEVEL_NAMES[info.level];
    }
    const parts = Array.from(this.#arrays.values(), (array) => {
      const tail = array.column.takeTail(), { rows } = array.column;
      return { array, rows, ...tail === undefined ? {} : { tail } };
    });
    return { totals: { ...this.#totals }, fields, parts };
  }

  async #commit({ totals, fields, parts }: Commit): Promise<void> {
    const { host: { fs }, path } = this.#setting;
    // 1. Chunks and the indexes of their shards: not visible yet, because the metadata counts fewer rows.
    await settled(parts.map(async ({ array, tail }) => {
      if (tail !== undefined) await array.putTail(tail);
      await array.commit();
    }));
    // 2. The number of rows of each array: not used yet, because the root counts fewer systems.
    await settled(parts.map(({ array, rows }) => array.writeRowCount(rows)));
    const folders = new Set(parts.flatMap(({ array }) => [...array.folders]));
    for (const level of ["node", "edge", "system"] as const) {
      if (this.#masks[level] === totals[level]) continue;
      const text = arrayMetadata(MASKS[level], totals[level], { chunkRows: MASK_ROWS });
      const file = `${path}/${MASKS[level].path}/zarr.json`;
      await replaceText(fs, file, { text });
      for (const folder of foldersOf(path, file)) folders.add(folder);
      this.#masks = { ...this.#masks, [level]: totals[level] };
    }
    // 3. The folders of new and renamed files. Everything that the root refers to must be on the disk before
    // the root does.
    await settled(Array.from(folders, (folder) => syncFolder(fs, folder)));
    for (const { array } of parts) array.folders.clear();
    // 4. The root. Its temporary file is in another folder, because readers report unknown files in the
    // root's folder.
    const beside = `${path}/${MASKS.system.path}/root.tmp`;
    const text = rootMetadata(totals.system, fields);
    await replaceText(fs, `${path}/zarr.json`, { text, beside });
    await syncFolder(fs, path);
    this.#committed = totals.system;
  }

  #inTurn(work: () => Promise<void>, bytes: number): void {
    this.#setting.enqueue(() => this.#unlessBroken(work), bytes);
  }

  /**
   * Runs work unless earlier work failed, because nothing may be written behind a gap. If `work` fails, marks the
   * writer as broken.
   */
  async #unlessBroken(work: () => Promise<void>): Promise<void> {
    if (this.#isBroken) return;
    try {
      await work();
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }
}

/** Waits for all promises, then throws the first error. */
async function settled(all: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(all)) {
    if (result.status === "rejected") throw result.reason;
  }
}
