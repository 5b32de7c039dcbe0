/**
 * Campaigns in one process.
 *
 * @module
 */

import type { CampaignItem } from "../item/item.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import type { ItemResult } from "../store/result.ts";
import type { ResultStore } from "../store/result_store.ts";
import { type ItemRunnerOptions, openItemRunner } from "./item_runner.ts";

/** Options of {@linkcode runCampaign}. */
export interface CampaignOptions extends ItemRunnerOptions {
  /** Receives each result when it is stored, but not necessarily on the disk. */
  readonly onResult?: (result: ItemResult) => void;
}

/** Numbers of items of a run. */
export interface CampaignSummary {
  /** Items that this run has computed. */
  readonly computed: number;
  /** Items that had a result before. */
  readonly skipped: number;
  /** True if all items of the source have a result; false if the signal was aborted before. */
  readonly isDone: boolean;
}

/** Largest numbers of items and atoms of a run of the item runner. More would only need memory. */
const CHUNK = { items: 2048, characters: 50_000_000 } as const;

/** Interval at which results are written to the disk, ms. */
const SYNC = 1000;

/**
 * Computes the items of a source that have no result in a store, and adds their results. The bytes of the results are
 * the same in any order, in any batch, and after any number of restarts.
 *
 * @throws {Error} if a result cannot be written, or the model or a hook has another hash than the recipe states
 *
 * @example
 * ```ts
 * import { fcc, rattle } from "@hooke/hooke/batch";
 * import { makeItem, openResultStore, readRecipe, runCampaign } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const recipe = await readRecipe({
 *   model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
 *   stages: [{ stage: "relax" }],
 * });
 * const crystals = [1, 2, 3].map((seed) => rattle(fcc({ element: "Ar", a: 5.3 }), 0.1, seed));
 * const items = await Promise.all(crystals.map((crystal) => makeItem(crystal, recipe)));
 * await using store = await openResultStore(`${await Deno.makeTempDir()}/argon`);
 * const { computed } = await runCampaign(recipe, items, store);
 * assertEquals(computed, 3);
 * assertEquals((await store.get(items[0]!.id))?.status, "done");
 * ```
 */
export async function runCampaign(
  recipe: CheckedRecipe,
  items: Iterable<CampaignItem> | AsyncIterable<CampaignItem>,
  store: ResultStore,
  options: CampaignOptions = {},
): Promise<CampaignSummary> {
  const { onResult = () => {}, signal } = options;
  const runner = await openItemRunner(recipe, options);
  let computed = 0, skipped = 0, synced = performance.now();
  // A result of the engine is written soon, so that a killed process loses little.
  let writing: Promise<void> = Promise.resolve(), failure: { readonly error: unknown } | undefined;
  const write = () => {
    const sync = performance.now() - synced > SYNC;
    if (sync) synced = performance.now();
    writing = writing.then(() => store.flush({ sync })).catch((error) =>
      void (failure ??= { error })
    );
  };
  const ended = (result: ItemResult) => {
    if (store.putIfAbsent(result)) computed++;
    onResult(result);
    write();
  };
  try {
    for await (
      const chunk of chunks(items, (id) => {
        if (!store.has(id)) return false;
        skipped++;
        return true;
      })
    ) {
      if (signal?.aborted) return { computed, skipped, isDone: false };
      const isDone = await runner.run(chunk, ended);
      await writing;
      if (failure !== undefined) throw failure.error;
      if (!isDone) return { computed, skipped, isDone };
    }
    return { computed, skipped, isDone: true };
  } finally {
    await writing;
    await runner.close();
    await store.flush();
  }
}

/** Groups the items that have no result, each id once. */
async function* chunks(
  items: Iterable<CampaignItem> | AsyncIterable<CampaignItem>,
  isKnown: (id: string) => boolean,
): AsyncGenerator<readonly CampaignItem[]> {
  let chunk = new Map<string, CampaignItem>(), size = 0;
  for await (const item of items) {
    if (isKnown(item.id) || chunk.has(item.id)) continue;
    chunk.set(item.id, item);
    size += item.input.length;
    if (chunk.size < CHUNK.items && size < CHUNK.characters) continue;
    yield [...chunk.values()];
    [chunk, size] = [new Map(), 0];
  }
  if (chunk.size > 0) yield [...chunk.values()];
}
