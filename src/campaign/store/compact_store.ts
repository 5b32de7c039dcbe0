/**
 * Merging of shards.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";
import { openResultStore } from "./result_store.ts";
import { indexPath, ShardWriter } from "./shard_writer.ts";

/** Numbers of a compaction. */
export interface Compaction {
  /** Results in the new shard. */
  readonly results: number;
  /** Shards that were removed. */
  readonly removed: number;
  /** Shards that were kept, because they are damaged, or have grown meanwhile. */
  readonly kept: number;
}

/**
 * Writes all results of a store to one shard, and removes the shards that had them. If the process is killed in between,
 * some results are there twice, with the same bytes. Call it when no process writes to the store: a writer whose shard
 * was removed ends with an error.
 *
 * @throws {Error} if results differ, because the shards are needed to find the reason, or a shard cannot be written
 *
 * @example
 * ```ts
 * import { compactStore, openResultStore } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const path = await Deno.makeTempDir();
 * for (const digit of ["0", "1"]) {
 *   await using store = await openResultStore(path);
 *   const id = digit.repeat(64);
 *   store.putIfAbsent({ id, status: "failed", reason: "no atoms", energy: NaN, stages: [] });
 * }
 * assertEquals(await compactStore(path), { results: 2, removed: 2, kept: 0 });
 * ```
 */
export async function compactStore(path: string): Promise<Compaction> {
  const fs = builtin("node:fs/promises"), store = await openResultStore(path);
  const [fault] = store.faults;
  if (fault !== undefined) {
    throw new Error(
      `Cannot merge the shards of ${path}: results of ${fault.id} differ. Find the reason first, and remove the wrong shard`,
    );
  }
  const shards = store.shards();
  if (shards.length < 2) return { results: store.size, removed: 0, kept: shards.length };
  const merged = new ShardWriter(`${path}/shards`, "merged");
  for (const { id } of store.all()) merged.add((await store.recordOf(id))!);
  await merged.close();
  const damaged = new Set(store.damage.map(({ shard }) => shard));
  let removed = 0;
  for (const { path: shard, end } of shards) {
    if (damaged.has(shard) || (await fs.stat(shard)).size !== end) continue;
    await fs.rm(indexPath(shard), { force: true });
    await fs.rm(shard);
    removed++;
  }
  return { results: store.size, removed, kept: shards.length - removed };
}
