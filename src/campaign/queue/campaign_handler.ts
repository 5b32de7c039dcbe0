/**
 * Computes the items of a queue with the recipes of their campaigns, and stores their results.
 *
 * @module
 */

import { type CampaignItem, isItem, makeItemOfText } from "../item/item.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import { isAddress } from "../recipe/references.ts";
import { type ItemRunner, openItemRunner } from "../run/item_runner.ts";
import { openHooks } from "../run/recipe_hooks.ts";
import type { ItemResult } from "../store/result.ts";
import type { ResultStore } from "../store/result_store.ts";
import { versions } from "../../config/versions.ts";
import { Checkpoints } from "./checkpoints.ts";
import { reasonOf } from "./connection.ts";
import type { CampaignHandlerOptions } from "./options.ts";
import type { QueueItem } from "./publish.ts";
import type { Queue } from "./queue.ts";
import { getRecipe } from "./recipes.ts";
import type { ItemFailure, QueueHandler } from "./work.ts";

/** Recipes whose models stay open. Items of others open theirs again. */
const MOST_OPEN = 4;

/** Time between two looks at what other processes have stored, ms. */
const LOOK = 1000;

type Opened = { readonly recipe: CheckedRecipe; readonly runner: ItemRunner };

/** Computes items by their recipes. Models and engines stay open from batch to batch. */
export class CampaignHandler implements QueueHandler, AsyncDisposable {
  readonly #queue: Queue;
  readonly #store: ResultStore;
  readonly #options: CampaignHandlerOptions;
  readonly #checkpoints: Checkpoints;
  /** In the order of their last use. */
  readonly #open = new Map<string, Opened>();
  #looked = -Infinity;

  constructor(queue: Queue, store: ResultStore, options: CampaignHandlerOptions = {}) {
    this.#queue = queue;
    this.#store = store;
    this.#options = options;
    this.#checkpoints = new Checkpoints(queue, options.checkpoints);
  }

  async has(id: string, isRepeated: boolean): Promise<boolean> {
    if (isRepeated && !this.#store.has(id) && performance.now() - this.#looked > LOOK) {
      await this.#store.refresh();
      this.#looked = performance.now();
    }
    return this.#store.has(id);
  }

  async run(items: readonly QueueItem[]): Promise<ReadonlyMap<string, ItemFailure>> {
    const failures = new Map<string, ItemFailure>();
    for (const [hash, group] of Map.groupBy(items, ({ recipe }) => recipe)) {
      const opened = await this.#openRecipe(hash);
      if ("reason" in opened) group.forEach(({ id }) => failures.set(id, opened));
      else await this.#runGroup(opened, group, failures);
    }
    // An error, such as that of a full disk, ends the worker. Nothing was acknowledged.
    await this.#store.flush();
    for (const { id } of items) {
      // Nothing may be acknowledged without a result, such as after an abort.
      if (this.#store.has(id)) await this.#checkpoints.forget(id);
      if (this.#store.has(id) || failures.has(id)) continue;
      failures.set(id, { reason: "it has no result", then: "again" });
    }
    return failures;
  }

  async #runGroup(
    { recipe, runner }: Opened,
    group: readonly QueueItem[],
    failures: Map<string, ItemFailure>,
  ): Promise<void> {
    const valid: CampaignItem[] = [];
    for (const item of group) {
      const read = await readItem(item, recipe);
      if ("reason" in read) failures.set(item.id, read);
      else valid.push(read);
    }
    if (valid.length === 0) return;
    try {
      await this.#compute({ recipe, runner }, valid);
    } catch (error) {
      const failure = { reason: reasonOf(error), then: "again" } as const;
      for (const { id } of valid) if (!this.#store.has(id)) failures.set(id, failure);
      await this.#close(recipe.hash);
    }
  }

  /** Computes items. An item that runs alone continues from its checkpoint, and is saved: it may take long. */
  async #compute({ recipe, runner }: Opened, items: readonly CampaignItem[]): Promise<void> {
    const ended = (result: ItemResult) => void this.#store.putIfAbsent(result);
    const [item, ...others] = items;
    if (item === undefined || others.length > 0) return void await runner.run(items, ended);
    const saved = await this.#checkpoints.read(item, recipe);
    try {
      await this.#checkpoints.during(
        item.id,
        runner,
        () => saved === undefined ? runner.run(items, ended) : runner.resume(saved, ended),
      );
    } catch (error) {
      // The next try begins again: the checkpoint may be the cause.
      if (saved !== undefined) await this.#checkpoints.forget(item.id);
      throw error;
    }
  }

  async #openRecipe(hash: string): Promise<Opened | ItemFailure> {
    const known = this.#open.get(hash);
    this.#open.delete(hash);
    try {
      const opened = known ?? await this.#openNew(hash);
      if ("runner" in opened) this.#open.set(hash, opened);
      for (const oldest of this.#open.keys()) {
        if (this.#open.size <= MOST_OPEN) break;
        await this.#close(oldest);
      }
      return opened;
    } catch (error) {
      // The recipe is wrong; otherwise this worker lacks something, such as a file.
      const isRefused = error instanceof TypeError || error instanceof RangeError;
      return { reason: reasonOf(error), then: isRefused ? "aside" : "elsewhere" };
    }
  }

  async #openNew(hash: string): Promise<Opened | ItemFailure> {
    const recipe = await getRecipe(this.#queue, hash);
    if (recipe === undefined) return { reason: "its recipe is not in the queue", then: "again" };
    const lack = await this.#lackFor(recipe);
    if (lack !== undefined) return { reason: lack, then: "elsewhere" };
    return { recipe, runner: await openItemRunner(recipe, this.#options) };
  }

  /** Returns what this worker does not have or allow, but another one may; undefined if it can open the recipe. */
  async #lackFor(recipe: CheckedRecipe): Promise<string | undefined> {
    if (!this.#options.downloads && "onnx" in recipe.model && isAddress(recipe.model.onnx)) {
      return "Cannot open the recipe: its model is a web address, and this worker allows no downloads";
    }
    try {
      await openHooks(recipe, this.#options);
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  }

  async #close(hash: string): Promise<void> {
    const opened = this.#open.get(hash);
    this.#open.delete(hash);
    await opened?.runner.close();
  }

  /** Closes models and engines. The store stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const hash of [...this.#open.keys()]) await this.#close(hash);
  }
}

/** Checks an item, which may come from a stranger. */
async function readItem(
  { id, version, seed, input }: QueueItem,
  recipe: CheckedRecipe,
): Promise<CampaignItem | ItemFailure> {
  const own = versions().hooke;
  if (version !== own) {
    return { reason: `it was submitted by Hooke ${version}; this is ${own}`, then: "elsewhere" };
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(input);
    const item = await makeItemOfText(text, recipe, seed);
    if (item.id === id && await isItem(item, recipe)) return item;
  } catch {
    // The text is not UTF-8.
  }
  return { reason: "its structure, seed or recipe does not belong to its id", then: "aside" };
}
