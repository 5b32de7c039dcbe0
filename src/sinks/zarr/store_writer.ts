/**
 * Writes a store.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { RunFrame } from "../../batch/resident/run_frame.ts";
import type { FieldInfo, Level, NumericArray } from "../../batch/fields/fields.ts";
import { ChunkPacker } from "./chunk_packer.ts";
import type { Column } from "./column.ts";
import { type Commit, settled, type Totals, writeCommit } from "./commit.ts";
import type { Host } from "./files.ts";
import { infoText } from "./info_text.ts";
import { newFields, type Rows } from "./known_fields.ts";
import {
  type ArrayPlan,
  INFO_TEXT,
  isResidual,
  LEVEL_NAMES,
  planOf,
  planOfResidual,
  POINTERS,
  type ZarrPrecision,
} from "./layout.ts";
import { residualsOf } from "./residual.ts";
import type { Packing } from "./metadata.ts";
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

/** State of an array that exists already, or of a new array. */
export type Resumed = Pick<ArrayStart, "rows" | "shape" | "tail"> & ChunkLayout;

/** Rows per chunk of fields per system and of pointers. `MOST_TEXT` is the largest number for texts. */
const FEW = 1024;
const MOST_TEXT = 1 << 15;

/** Systems to add: a batch, or a frame of a run. */
export type Systems =
  & Pick<Batch, "size" | "nodeCount" | "edgeCount" | "nodeOffsets" | "edgeOffsets" | "infos">
  & { get(name: string): NumericArray }
  & Partial<Pick<RunFrame, "isSingle" | "rounded" | "single">>;

/** The array of a field. */
interface Entry {
  readonly info: FieldInfo;
  readonly array: ArrayWriter;
  /** True if the systems have the field; otherwise they get its fill value. */
  readonly isGiven: boolean;
}

/**
 * Appends systems to a store. After an error in the background the writer is broken: the store must be opened again.
 */
export class StoreWriter {
  readonly #setting: WriterSetting;
  readonly #packer: ChunkPacker;
  readonly #arrays = new Map<string, ArrayWriter>();
  readonly #fields = new Map<string, { readonly info: FieldInfo; readonly array: ArrayWriter }>();
  readonly #infos = new Map<string, FieldInfo>();
  /** The last list of fields that systems had, the arrays for it, and the number of all arrays at that time. */
  #last:
    | {
      readonly fields: readonly FieldInfo[];
      readonly entries: readonly Entry[];
      readonly count: number;
    }
    | undefined;
  readonly #totals: Record<Level | "text", number>;
  /** Number of systems in the last prepared commit, and number of rows in the metadata of the masks. */
  #prepared: number;
  #masks: Rows;
  /** Number of systems that are part of the store, and number of commits that are enqueued or being written. */
  readonly #commits: { systems: number; pending: number };
  #isBroken = false;

  constructor(setting: WriterSetting, totals: Totals, masks: Rows) {
    this.#setting = setting;
    this.#packer = new ChunkPacker(setting.host.zlib);
    this.#totals = { ...totals };
    this.#prepared = totals.system;
    this.#commits = { systems: totals.system, pending: 0 };
    this.#masks = masks;
  }

  /** Number of systems, including systems that are not written yet. */
  get size(): number {
    return this.#isBroken ? this.#commits.systems : this.#totals.system;
  }

  /** True if a commit is enqueued or being written. */
  get isCommitting(): boolean {
    return this.#commits.pending > 0;
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
  add(systems: Systems, fields: readonly FieldInfo[]): void {
    const stored = this.#totals, texts = this.#textsOf(systems);
    const added = { system: systems.size, node: systems.nodeCount, edge: systems.edgeCount };
    for (const { info, array, isGiven } of this.#entriesFor(systems, fields, added)) {
      const rows = added[info.level], { column } = array;
      if (column.plan.residual !== undefined) this.#addRounded(array, isGiven, systems, rows);
      else if (!isGiven) column.addFill(rows);
      else {
        // Rounded values are those that the column would make, and need not be converted to float64 before.
        const rounded = column.plan.type === "float32" ? systems.rounded?.(info.name) : undefined;
        const base = info.name === "edges" ? stored.node : 0;
        column.add(rounded ?? systems.get(info.name), 0, rows, base);
      }
    }
    this.#addPointers(systems);
    this.#addInfos(texts);
    stored.system += added.system;
    stored.node += added.node;
    stored.edge += added.edge;
  }

  /**
   * Returns the arrays of all fields, after new ones were begun. Frames of a run have the same list of fields again
   * and again, for which the arrays are found once.
   */
  #entriesFor(systems: Systems, fields: readonly FieldInfo[], added: Rows): readonly Entry[] {
    const last = this.#last;
    if (last?.fields === fields && last.count === this.#fields.size) return last.entries;
    const { path } = this.#setting;
    const reserved = fields.find(({ name }) => isResidual(name));
    if (reserved !== undefined) {
      throw new TypeError(
        `Cannot write to ${path}: the name "${reserved.name}" is reserved for digits of another field. Rename the field`,
      );
    }
    const fresh = newFields(this.#infos, fields, { path, stored: this.#totals, added });
    for (const info of fresh) this.#begin(info, systems);
    const given = new Set(fields.map(({ name }) => name));
    // Residuals are added with the field that they complete.
    const entries = [...this.#fields.values()].filter(({ info }) => !isResidual(info.name))
      .map(({ info, array }) => ({ info, array, isGiven: given.has(info.name) }));
    this.#last = { fields, entries, count: this.#fields.size };
    return entries;
  }

  /** Adds values that are stored as float32, and their residuals. */
  #addRounded(
    { column }: ArrayWriter,
    isGiven: boolean,
    systems: Systems,
    rows: number,
  ): void {
    const { plan } = column, { name } = plan.field!;
    const known = this.#fields.get(plan.residual!)?.array.column;
    const single = isGiven ? systems.single?.(name) : undefined;
    const values = single ?? (isGiven ? systems.get(name) : undefined);
    if (values === undefined) column.addFill(rows);
    else column.add(values, 0, rows);
    const residuals = values === undefined || single ? undefined : residualsOf(values);
    if (residuals === undefined) known?.addFill(rows);
    else (known ?? this.#beginResidual(plan, systems)).add(residuals, 0, rows);
  }

  #beginResidual(plan: ArrayPlan, systems: Systems): Column {
    const own = planOfResidual(plan), { level } = plan.field!;
    return this.#addFilled(own, this.#totals[level], this.#chunkLayout(own, level, systems));
  }

  #textsOf({ infos }: Systems): Uint8Array[] {
    return infos.map((info) => infoText(info, this.#setting.path));
  }

  /** Enqueues a commit: all systems so far become part of the store when its turn comes. */
  commit(): void {
    const commit = this.#prepareCommit();
    const bytes = commit.parts.reduce((sum, { tail }) => sum + (tail?.bytes.length ?? 0), 0);
    this.#commits.pending++;
    this.#inTurn(async () => {
      await this.#commit(commit);
      this.#commits.pending--; // after an error the writer is broken, and commits no more
    }, bytes);
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
      packer: this.#packer,
      root,
      rows,
      chunkRows,
      packing,
      ...more,
      onChunk: (column, chunk, bytes) => {
        this.#inTurn(async () => {
          await array.put(chunk, bytes);
          if (bytes !== undefined) column.recycle(bytes);
        }, bytes?.length ?? 0);
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

  #begin(info: FieldInfo, systems: Systems): void {
    const { precision } = this.#setting, isSingle = systems.isSingle?.(info.name) ?? false;
    const plan = planOf(info, precision, isSingle);
    this.#addFilled(plan, this.#totals[info.level], this.#chunkLayout(plan, info.level, systems));
  }

  /** Begins an array in which the systems so far have the plan's fill value. Readers expect every chunk to exist. */
  #addFilled(plan: ArrayPlan, rows: number, layout: ChunkLayout): Column {
    const { column } = this.#addArray(plan, { rows: 0, ...layout });
    column.addFill(rows);
    return column;
  }

  /**
   * Returns the layout of an array's chunks: near `chunkBytes` in size and, if all systems are equally large, with
   * the rows of a whole number of systems, so that reading a system reads one chunk.
   */
  #chunkLayout(
    plan: ArrayPlan,
    level: Level,
    { size, nodeCount, edgeCount }: Systems,
  ): ChunkLayout {
    const { packing, chunkBytes } = this.#setting;
    const value = plan.type === "float32" ? 4 : 8;
    const rowBytes = plan.rest.reduce((a, b) => a * b, value);
    const most = Math.max(1, Math.floor(chunkBytes / rowBytes));
    const own = Math.ceil((level === "node" ? nodeCount : edgeCount) / size);
    if (level === "system" || own === 0) return { packing, chunkRows: Math.min(most, FEW) };
    const chunkRows = own <= most
      ? own * Math.floor(most / own)
      : Math.ceil(own / Math.ceil(own / most));
    return { packing, chunkRows };
  }

  #addPointers({ nodeOffsets, edgeOffsets, size }: Systems): void {
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
      this.#addFilled(POINTERS.info, this.#totals.system + 1, { chunkRows: FEW, packing });
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

  async #commit(commit: Commit): Promise<void> {
    this.#masks = await writeCommit(this.#setting, commit, this.#masks);
    this.#commits.systems = commit.totals.system;
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
