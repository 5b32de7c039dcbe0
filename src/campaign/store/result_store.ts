/**
 * Result stores: folders of results, which any number of processes on any machines write.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import { builtin } from "../../platform/process.ts";
import {
  type ItemResult,
  type ItemStatus,
  recordOf,
  resultOf,
  type ResultRecord,
} from "./result.ts";
import type { IndexEntry } from "./shard_index.ts";
import { readEntry, type ShardDamage, ShardReader } from "./shard_reader.ts";
import { ShardWriter } from "./shard_writer.ts";

/** A result in a store, without its structure. */
export interface StoredResult {
  /** Id of the item. */
  readonly id: string;
  /** Outcome of the item. */
  readonly status: ItemStatus;
  /** Potential energy after the last stage, eV; NaN after a failure. */
  readonly energy: number;
}

/** Two results of one item that differ. This cannot happen by a restart or a second delivery: it is a fault. */
export interface StoreFault {
  /** Id of the item. */
  readonly id: string;
  /** Paths of the shards with the two results. */
  readonly shards: readonly [string, string];
}

/** Options of {@linkcode openResultStore}. */
export interface ResultStoreOptions {
  /**
   * Beginning of the names of shards that this process writes: letters, digits, dots, dashes and underscores.
   *
   * @default "shard"
   */
  readonly label?: string;
  /** Receives a fault once, when it is found. @default prints nothing; `faults` has it */
  readonly onFault?: (fault: StoreFault) => void;
}

/** A result and where it is. */
interface Place {
  readonly shard: ShardReader;
  readonly entry: IndexEntry;
}

/**
 * A folder of results. Each process that writes has a shard of its own, so that no locks are needed between machines.
 * Readers see finished records while others write. An item that two processes have computed has two records with the
 * same bytes; one of them is used. If the bytes differ, the smaller checksum decides, and `faults` lists the item.
 *
 * The store is the truth about which items are finished. `putIfAbsent` and `flush` make a queue that delivers an item
 * twice exact: the second result is left out, or has the same bytes.
 */
export class ResultStore implements AsyncDisposable {
  /** Path of the folder. */
  readonly path: string;
  readonly #writer: ShardWriter;
  readonly #options: ResultStoreOptions;
  readonly #shards = new Map<string, ShardReader>();
  readonly #places = new Map<string, Place>();
  /** Results of this process, which need not be read. */
  readonly #own = new Map<string, StoredResult>();
  readonly #faults = new Map<string, StoreFault>();
  readonly #damage: ShardDamage[] = [];

  /** Not part of the public API: use {@linkcode openResultStore}. */
  constructor(path: string, options: ResultStoreOptions) {
    this.path = path;
    this.#options = options;
    this.#writer = new ShardWriter(`${path}/shards`, options.label ?? "shard");
  }

  /** Reads what other processes have written since the last call. */
  async refresh(): Promise<void> {
    for (const name of await this.#shardNames()) {
      let shard = this.#shards.get(name);
      if (shard === undefined) {
        this.#shards.set(name, shard = new ShardReader(`${this.path}/shards/${name}`));
      }
      const { entries, damage } = await shard.refresh();
      this.#damage.push(...damage);
      for (const entry of entries) this.#note({ shard, entry });
    }
  }

  async #shardNames(): Promise<string[]> {
    try {
      const names = await builtin("node:fs/promises").readdir(`${this.path}/shards`);
      return names.filter((name) => name.endsWith(".jsonl")).sort();
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === "ENOENT") return [];
      throw error;
    }
  }

  #note(place: Place): void {
    const { id } = place.entry, known = this.#places.get(id);
    if (known === undefined) {
      this.#places.set(id, place);
      return;
    }
    const [a, b] = [known.entry, place.entry];
    if (a.sum === b.sum && a.length === b.length) return;
    // Every reader chooses the same one, in whatever order it reads the shards.
    if (b.sum < a.sum || b.sum === a.sum && b.length < a.length) this.#places.set(id, place);
    if (this.#faults.has(id)) return;
    const fault: StoreFault = { id, shards: [known.shard.path, place.shard.path] };
    this.#faults.set(id, fault);
    this.#options.onFault?.(fault);
  }

  /** Number of items with a result, as far as it was read. */
  get size(): number {
    return this.#places.size + [...this.#own.keys()].filter((id) => !this.#places.has(id)).length;
  }

  /** Items with results that differ. */
  get faults(): readonly StoreFault[] {
    return [...this.#faults.values()];
  }

  /** Damaged lines of shards. Their items have no result, and are computed again. */
  get damage(): readonly ShardDamage[] {
    return this.#damage;
  }

  /** Returns whether an item has a result. Results of other processes are seen after `refresh`. */
  has(id: string): boolean {
    return this.#own.has(id) || this.#places.has(id);
  }

  /** Returns all results in the order of their ids, without structures. */
  all(): StoredResult[] {
    const all = new Map<string, StoredResult>(this.#own);
    for (const [id, { entry: { status, energy } }] of this.#places) {
      all.set(id, { id, status, energy });
    }
    return [...all.values()].sort((a, b) => a.id < b.id ? -1 : 1);
  }

  /** Returns the status of an item; undefined if it has no result. */
  statusOf(id: string): ItemStatus | undefined {
    return this.#places.get(id)?.entry.status ?? this.#own.get(id)?.status;
  }

  /**
   * Returns the result of an item; undefined if it has none. A result of this process can be read after `flush`.
   *
   * @throws {Error} if its record is damaged
   */
  async get(id: string): Promise<ItemResult | undefined> {
    const bytes = await this.bytesOf(id);
    return bytes && resultOf({ bytes });
  }

  /** Returns the bytes of the record of an item; undefined if it has none. Throws an Error if they are damaged. */
  async bytesOf(id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return (await this.recordOf(id))?.bytes;
  }

  /** Returns the record of an item; undefined if it has none. Throws an Error if it is damaged. */
  async recordOf(id: string): Promise<ResultRecord | undefined> {
    if (!this.#places.has(id) && this.#own.has(id)) await this.refresh();
    const place = this.#places.get(id);
    return place && await readEntry(place.shard.path, place.entry);
  }

  /** Returns the paths of the shards, and the numbers of bytes that were read of each. */
  shards(): { readonly path: string; readonly end: number }[] {
    return Array.from(this.#shards.values(), ({ path, end }) => ({ path, end }));
  }

  /** Adds a result unless the item has one. Returns whether it was added. It is safe on the disk after `flush`. */
  putIfAbsent(result: ItemResult): boolean {
    return this.putRecord(recordOf(result));
  }

  /** Adds the record of a result, as `recordOf` makes it, unless its item has one. Returns whether it was added. */
  putRecord(record: ResultRecord): boolean {
    const { id, status, energy } = record;
    if (this.has(id)) return false;
    this.#own.set(id, { id, status, energy });
    this.#writer.add(record);
    return true;
  }

  /**
   * Writes the results that were added. With `sync` (the default), it waits until they are on the disk.
   *
   * @throws {Error} if they cannot be written
   */
  async flush(options: { readonly sync?: boolean } = {}): Promise<void> {
    await this.#writer.flush(options);
  }

  /** Writes the results that were added, and closes the shard of this process. */
  async close(): Promise<void> {
    await this.#writer.close();
  }

  /** Closes the store as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens a store and reads its results. The folder is created with the first result.
 *
 * @param path path of the folder
 * @throws {TypeError} if an option is invalid
 *
 * @example
 * ```ts
 * import { openResultStore } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * await using store = await openResultStore(`${await Deno.makeTempDir()}/results`);
 * const result = { id: "0".repeat(64), status: "failed", reason: "no atoms", energy: NaN, stages: [] } as const;
 * assertEquals([store.putIfAbsent(result), store.putIfAbsent(result)], [true, false]);
 * await store.flush();
 * assertEquals(await store.get(result.id), result);
 * ```
 */
export async function openResultStore(
  path: string,
  options: ResultStoreOptions = {},
): Promise<ResultStore> {
  checkOptions("open a result store", options, ["label", "onFault"]);
  const { label = "shard" } = options;
  if (!/^[\w.-]+$/.test(label)) {
    throw new TypeError(
      `Cannot open a result store: label must be letters, digits, dots, dashes and underscores; got ${
        show(label)
      }`,
    );
  }
  const store = new ResultStore(path, options);
  await store.refresh();
  return store;
}
