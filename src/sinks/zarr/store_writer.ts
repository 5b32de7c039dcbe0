/**
 * A store that is being written.
 *
 * What is written, in order: the rows of all arrays, the indices of their shards, how many rows each array has, and
 * last how many systems there are: from then on they are part of the store. Whenever the process is killed, all before
 * that is as it was. Each of these is on the disk before the next is written, so that a power failure changes nothing.
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
import { type Cutting, Track, type TrackStart } from "./track.ts";

/** What a store is written with. */
export interface WriterSetting {
  readonly host: Host;
  /** The folder. */
  readonly path: string;
  readonly precision: ZarrPrecision;
  readonly packing: Packing;
  /** About as many bytes a chunk has. */
  readonly chunkBytes: number;
  /** Takes work that is done in turn, and the bytes that it holds. */
  readonly enqueue: (work: () => Promise<void>, bytes: number) => void;
}

/** Rows of a store: systems, atoms, edges, and bytes of text. */
export type Totals = Readonly<Record<Level | "text", number>>;

/** How far an array that is there has come. */
export type Resumed = Pick<TrackStart, "rows" | "shape" | "tail"> & Cutting;

/** Rows per chunk where nothing is known, of texts, and of masks. */
const FEW = 1024;
const MOST_TEXT = 1 << 15;
const MASK_ROWS = 1 << 20;

/** What a commit is to make of the store. */
interface Cut {
  readonly totals: Totals;
  readonly fields: Readonly<Record<string, Record<string, string>>>;
  readonly parts: readonly { readonly track: Track; readonly rows: number; readonly tail?: Tail }[];
}

/** Adds systems to a store. What goes wrong in the background ends it: what is there must be looked at again. */
export class StoreWriter {
  readonly #setting: WriterSetting;
  readonly #tracks = new Map<string, Track>();
  readonly #fields = new Map<string, { readonly info: FieldInfo; readonly track: Track }>();
  readonly #infos = new Map<string, FieldInfo>();
  readonly #totals: Record<Level | "text", number>;
  /** Systems at the last cut, and rows that the metadata of masks tell of. */
  #cutAt: number;
  #masks: Rows;
  /** Systems that are part of the store. */
  #committed: number;
  #isBroken = false;

  constructor(setting: WriterSetting, totals: Totals, masks: Rows) {
    this.#setting = setting;
    this.#totals = { ...totals };
    this.#cutAt = totals.system;
    this.#committed = totals.system;
    this.#masks = masks;
  }

  /** Systems it has, with those that are on their way. */
  get size(): number {
    return this.#isBroken ? this.#committed : this.#totals.system;
  }

  /** Whether there is something that no commit has seen. */
  get isCut(): boolean {
    return this.#cutAt === this.#totals.system;
  }

  /** Whether something went wrong. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Takes up an array that is there, or one that is to be there from the beginning. */
  resume(plan: ArrayPlan, resumed: Resumed): void {
    this.#track(plan, resumed);
  }

  /**
   * Takes copies of systems.
   *
   * @throws {TypeError} for fields that do not go together with those there are, and for an `info` that is no plain
   * data; nothing is taken then
   */
  add(batch: Batch, fields: readonly FieldInfo[]): void {
    const there = this.#totals,
      texts = batch.infos.map((info) => infoText(info, this.#setting.path));
    const more = { system: batch.size, node: batch.nodeCount, edge: batch.edgeCount };
    const fresh = newFields(this.#infos, fields, { path: this.#setting.path, there, more });
    for (const info of fresh) this.#begin(info, batch);
    const given = new Set(fields.map(({ name }) => name));
    for (const { info, track } of this.#fields.values()) {
      if (!given.has(info.name)) track.column.addFill(more[info.level]);
      else {
        const base = info.name === "edges" ? there.node : 0;
        track.column.add(batch.get(info.name), 0, more[info.level], base);
      }
    }
    this.#addPointers(batch);
    this.#addInfos(texts);
    for (const level of ["system", "node", "edge"] as const) there[level] += more[level];
  }

  /** Has what was taken become part of the store, in turn. */
  commit(): void {
    const cut = this.#cut();
    const bytes = cut.parts.reduce((sum, { tail }) => sum + (tail?.bytes.length ?? 0), 0);
    this.#inTurn(() => this.#commit(cut), bytes);
  }

  /** Has what was taken become part of the store at once, and nothing else be told of. For when nothing waits. */
  async tell(): Promise<void> {
    await this.#unlessBroken(() => this.#commit(this.#cut()));
  }

  /** Closes its files. */
  async close(): Promise<void> {
    await settled(Array.from(this.#tracks.values(), (track) => track.close(!this.#isBroken)));
  }

  #track(plan: ArrayPlan, { rows, chunkRows, packing, ...more }: Resumed): Track {
    const { host, path: root } = this.#setting;
    const track: Track = new Track(plan, {
      host,
      root,
      rows,
      chunkRows,
      packing,
      ...more,
      take: (column, chunk, bytes) => {
        const packing = track.pack(bytes);
        packing.catch(() => {}); // told by the work that waits for it
        this.#inTurn(async () => {
          await track.put(chunk, await packing);
          column.recycle(bytes);
        }, bytes.length);
      },
    });
    this.#tracks.set(plan.path, track);
    const { field } = plan;
    if (field !== undefined) {
      this.#fields.set(field.name, { info: field, track });
      this.#infos.set(field.name, field);
    }
    return track;
  }

  #begin(info: FieldInfo, batch: Batch): void {
    const plan = planOf(info, this.#setting.precision);
    const rows = this.#totals[info.level];
    this.#track(plan, { rows, ...this.#cutting(plan, info.level, batch) });
  }

  /** Chunks of about as many bytes as they are to have, of whole systems where these are equally large. */
  #cutting(plan: ArrayPlan, level: Level, { size, nodeCount, edgeCount }: Batch): Cutting {
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
      this.#tracks.get(plan.path)!.column.add(offsets, 1, size + 1, base);
    add(POINTERS.node, nodeOffsets, node);
    add(POINTERS.edge, edgeOffsets, edge);
  }

  /** Begins with the first system of which something else is known. */
  #addInfos(texts: readonly Uint8Array[]): void {
    const { packing, chunkBytes } = this.#setting;
    if (!this.#tracks.has(INFO_TEXT.path)) {
      if (texts.every(({ length }) => length === 0)) return;
      this.#track(INFO_TEXT, { rows: 0, chunkRows: Math.min(chunkBytes, MOST_TEXT), packing });
      this.#track(POINTERS.info, { rows: this.#totals.system + 1, chunkRows: FEW, packing });
    }
    const [text, pointers] = [INFO_TEXT, POINTERS.info].map(({ path }) =>
      this.#tracks.get(path)!.column
    );
    for (const own of texts) {
      text!.add(own, 0, own.length);
      this.#totals.text += own.length;
      pointers!.add(Float64Array.of(this.#totals.text), 0, 1);
    }
  }

  #cut(): Cut {
    this.#cutAt = this.#totals.system;
    const fields: Record<string, Record<string, string>> = { core: {}, custom: {} };
    for (const { info, track } of this.#fields.values()) {
      const [group, stored] = track.column.plan.path.split("/") as [string, string];
      fields[group]![stored] = LEVEL_NAMES[info.level];
    }
    const parts = Array.from(this.#tracks.values(), (track) => {
      const tail = track.column.cut(), { rows } = track.column;
      return { track, rows, ...tail === undefined ? {} : { tail } };
    });
    return { totals: { ...this.#totals }, fields, parts };
  }

  async #commit({ totals, fields, parts }: Cut): Promise<void> {
    const { host: { fs }, path } = this.#setting;
    await settled(parts.map(async ({ track, tail }) => {
      if (tail !== undefined) await track.putTail(tail);
      await track.commit();
    }));
    await settled(parts.map(({ track, rows }) => track.tell(rows)));
    const folders = new Set(parts.flatMap(({ track }) => [...track.folders]));
    for (const level of ["node", "edge", "system"] as const) {
      if (this.#masks[level] === totals[level]) continue;
      const text = arrayMetadata(MASKS[level], totals[level], { chunkRows: MASK_ROWS });
      const file = `${path}/${MASKS[level].path}/zarr.json`;
      await replaceText(fs, file, { text });
      for (const folder of foldersOf(path, file)) folders.add(folder);
      this.#masks = { ...this.#masks, [level]: totals[level] };
    }
    // Everything that the root refers to must be on the disk before the root does.
    await settled(Array.from(folders, (folder) => syncFolder(fs, folder)));
    for (const { track } of parts) track.folders.clear();
    // Nothing else may be in the root's own folder: readers would wonder at it.
    const beside = `${path}/${MASKS.system.path}/root.tmp`;
    const text = rootMetadata(totals.system, fields);
    await replaceText(fs, `${path}/zarr.json`, { text, beside });
    await syncFolder(fs, path);
    this.#committed = totals.system;
  }

  #inTurn(work: () => Promise<void>, bytes: number): void {
    this.#setting.enqueue(() => this.#unlessBroken(work), bytes);
  }

  /** Work that is not begun any more once something went wrong. */
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

/** Waits for all, then throws what went wrong with the first of those that did. */
async function settled(all: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(all)) {
    if (result.status === "rejected") throw result.reason;
  }
}
