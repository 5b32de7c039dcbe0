/**
 * Submission of campaigns to a queue.
 *
 * @module
 */

import { versions } from "../../config/versions.ts";
import { readCampaign } from "../folder/campaign_folder.ts";
import { campaignIds, readItems } from "../folder/item_files.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import { openResultStore } from "../store/result_store.ts";
import type { SubmitCounts } from "./counts.ts";
import type { LabeledItem, SubmitOptions } from "./options.ts";
import { publishItems, type QueueItem } from "./publish.ts";
import type { Queue } from "./queue.ts";
import { putRecipe } from "./recipes.ts";
import { stateIds } from "./states.ts";

/**
 * Publishes the items of a campaign, with their recipe. Items that are in the queue, that were set aside, or that have a
 * result in the store are left out, so that a submission can be repeated at any time.
 *
 * @throws {RangeError} if an item is larger than the largest message of the queue
 * @throws {Error} if the server confirms nothing for long, such as for a full disk
 */
export async function submitCampaign(
  queue: Queue,
  recipe: CheckedRecipe,
  items: AsyncIterable<LabeledItem> | Iterable<LabeledItem>,
  { priority = "normal", store, onProgress, ...patience }: SubmitOptions = {},
): Promise<SubmitCounts> {
  await queue.create();
  await putRecipe(queue, recipe);
  await store?.refresh();
  const counts: SubmitCounts = { published: 0, present: 0, finished: 0, aside: 0 };
  const aside = new Set(await stateIds(queue, "aside"));
  const { hooke: version } = versions();
  const missing = async function* (): AsyncGenerator<QueueItem> {
    for await (const { item: { id, input, seed }, label } of items) {
      if (store?.has(id)) counts.finished++;
      else if (aside.has(id)) counts.aside++;
      else {
        const bytes = new TextEncoder().encode(input);
        yield { id, recipe: recipe.hash, seed, label, version, input: bytes };
      }
    }
  };
  const add = (sent: Pick<SubmitCounts, "published" | "present">) => Object.assign(counts, sent);
  const sent = await publishItems(queue, missing(), {
    ...patience,
    priority,
    onProgress: (sent) => onProgress?.(add(sent)),
  });
  return add(sent);
}

/**
 * Publishes the items in the folder of a campaign that have no result in it (or in `store`), and that are neither in the
 * queue nor set aside.
 *
 * @throws {Error} if the folder cannot be read, or the server confirms nothing for long
 */
export async function reconcileCampaign(
  queue: Queue,
  folder: string,
  options: SubmitOptions = {},
): Promise<SubmitCounts & { readonly recipe: string }> {
  const recipe = await readCampaign(folder), { onProgress } = options;
  const store = options.store ?? await openResultStore(folder);
  try {
    await store.refresh();
    // Structures with a result are counted here, and need not be read.
    const finished = (await campaignIds(folder)).filter((id) => store.has(id)).length;
    const add = (counts: SubmitCounts) => ({ ...counts, finished: counts.finished + finished });
    const items = async function* (): AsyncGenerator<LabeledItem> {
      for await (const item of readItems(folder, recipe, (id) => !store.has(id))) {
        yield { item, label: item.source };
      }
    };
    const counts = await submitCampaign(queue, recipe, items(), {
      ...options,
      store,
      onProgress: (counts) => onProgress?.(add(counts)),
    });
    return { ...add(counts), recipe: recipe.hash };
  } finally {
    if (options.store === undefined) await store.close();
  }
}
