/**
 * Campaigns in one process.
 *
 * @module
 */

import type { CampaignItem } from "../item/item.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import type { ItemResult } from "../store/result.ts";
import type { ResultStore } from "../store/result_store.ts";
import { type ItemRunner, type ItemRunnerOptions, openItemRunner } from "./item_runner.ts";
import { RunFile } from "./run_file.ts";
import type { SavedRun } from "./saved_run.ts";

/** Options of {@linkcode runCampaign}. */
export interface CampaignOptions extends ItemRunnerOptions {
  /** Receives each result when it is stored, but not necessarily on the disk. */
  readonly onResult?: (result: ItemResult) => void;
  /**
   * Path of a file with the unfinished items. It is written when the signal is aborted, and every `checkpointSeconds`.
   * The next run with this path continues these items where they were, also in the middle of a stage. It is removed when
   * they have ended. Two processes must not use one path at a time.
   *
   * @default undefined: unfinished items begin again
   */
  readonly checkpoint?: string;
  /** Interval at which the file is written, s. @default 600 */
  readonly checkpointSeconds?: number;
  /** Receives a message if the file cannot be written or read. @default ignores it */
  readonly onNotice?: (message: string) => void;
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
  const { onResult = () => {}, onNotice = () => {}, signal, checkpoint } = options;
  const file = checkpoint === undefined ? undefined : new RunFile(checkpoint, onNotice);
  const runner = await openItemRunner(recipe, options);
  const counts = { computed: 0, skipped: 0 }, writer = new SteadyWriter(store);
  const ended = (result: ItemResult) => {
    if (store.putIfAbsent(result)) counts.computed++;
    onResult(result);
    writer.write();
  };
  const isKnown = (id: string) => {
    if (!store.has(id)) return false;
    counts.skipped++;
    return true;
  };
  const timer = file &&
    setInterval(() => void file.write(runner), 1000 * (options.checkpointSeconds ?? 600));
  try {
    const saved = await file?.read(recipe);
    const isOpen = saved?.items.some(({ item: { id } }) => !store.has(id));
    for await (const work of rounds(isOpen ? saved : undefined, chunks(items, isKnown))) {
      if (signal?.aborted) return { ...counts, isDone: false };
      const isDone = await work(runner, ended);
      await writer.settled();
      if (!isDone) {
        await file?.write(runner);
        return { ...counts, isDone };
      }
      await file?.remove();
    }
    return { ...counts, isDone: true };
  } finally {
    clearInterval(timer);
    await runner.close();
    await writer.settled();
    await store.flush();
  }
}

/** Writes results soon after they were added, so that a killed process loses little. */
class SteadyWriter {
  readonly #store: ResultStore;
  #synced = performance.now();
  #writing: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(store: ResultStore) {
    this.#store = store;
  }

  /** Begins to write the results that were added. Throws the error of an earlier write, so that no work is lost. */
  write(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    const sync = performance.now() - this.#synced > SYNC;
    if (sync) this.#synced = performance.now();
    this.#writing = this.#writing.then(() => this.#store.flush({ sync }))
      .catch((error) => void (this.#failure ??= { error }));
  }

  /** Waits until all results are written. Throws the first error. */
  async settled(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Runs the items of one round. Returns false if it was interrupted. */
type Round = (runner: ItemRunner, ended: (result: ItemResult) => void) => Promise<boolean>;

/** Yields the saved run first, and then the chunks. */
async function* rounds(
  saved: SavedRun | undefined,
  rest: AsyncIterable<readonly CampaignItem[]>,
): AsyncGenerator<Round> {
  if (saved !== undefined) yield (runner, ended) => runner.resume(saved, ended);
  for await (const chunk of rest) yield (runner, ended) => runner.run(chunk, ended);
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
