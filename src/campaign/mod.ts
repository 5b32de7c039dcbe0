/**
 * Campaigns: the same recipe for many structures, on any number of machines, with each result exactly once.
 *
 * `@hooke/hooke/campaign/queue` has a queue on a NATS server. Another queue builds on these parts, in this order:
 *
 * 1. `readRecipe` checks a recipe, which is plain data and may be sent as JSON (`recipeData`).
 * 2. `makeItem` makes an item of a structure. An item is plain data, and may be the body of a message; its `id` is the hash
 *    of everything that its result depends on. `isItem` checks an item that came from elsewhere.
 * 3. `openItemRunner` opens model and engines once per worker, and `run(items, ended)` computes items in batches.
 * 4. `createCampaign`, `addItems`, `campaignIds` and `readItems` keep recipe and items in a folder, from which items
 *    without a result can be sent again at any time.
 * 5. `openResultStore` opens the ledger. `putIfAbsent` adds a result; after `await flush()` it is durable, and the
 *    message may be acknowledged. `has` (after `refresh`) returns true for items that need no work.
 *
 * `save` of the item runner returns the state of unfinished items as plain data, also in the middle of a stage, and
 * `resume` continues it on any machine with the same bytes: store it for items that take longer than a lease.
 *
 * A message that is delivered twice is harmless: both results have the same bytes. The store, not the queue, is the
 * truth about which items are finished.
 *
 * @module
 */

export { createCampaign, readCampaign } from "./folder/campaign_folder.ts";
export type { CampaignStatus } from "./folder/campaign_status.ts";
export { statusOf } from "./folder/campaign_status.ts";
export type { ListedItem, Submission } from "./folder/item_files.ts";
export { addItems, campaignIds, readItems, shareOf } from "./folder/item_files.ts";
export type { CampaignItem } from "./item/item.ts";
export { isItem, makeItem } from "./item/item.ts";
export { structureOf, structureText } from "./item/structure_text.ts";
export type {
  HookReference,
  ModelReference,
  OnnxReference,
  PairReference,
} from "./recipe/references.ts";
export type { CheckedRecipe, Recipe } from "./recipe/recipe.ts";
export { readRecipe, recipeData } from "./recipe/recipe.ts";
export type {
  FullStage,
  MdStage,
  RecipeStage,
  RelaxStage,
  SinglePointStage,
} from "./recipe/stages.ts";
export type { ItemRunner, ItemRunnerOptions } from "./run/item_runner.ts";
export { openItemRunner } from "./run/item_runner.ts";
export { modelFileHash } from "./run/model_file_hash.ts";
export type { HookPermissions } from "./run/recipe_hooks.ts";
export type { SavedItem, SavedRun, SavedStage } from "./run/saved_run.ts";
export type { CampaignOptions, CampaignSummary } from "./run/run_campaign.ts";
export { runCampaign } from "./run/run_campaign.ts";
export type { Compaction } from "./store/compact_store.ts";
export { compactStore } from "./store/compact_store.ts";
export type { ItemResult, ItemStatus, ResultRecord, StageResult } from "./store/result.ts";
export { recordOf, resultOf } from "./store/result.ts";
export type {
  ResultStore,
  ResultStoreOptions,
  StoredResult,
  StoreFault,
} from "./store/result_store.ts";
export { openResultStore } from "./store/result_store.ts";
export type { ShardDamage } from "./store/shard_reader.ts";
