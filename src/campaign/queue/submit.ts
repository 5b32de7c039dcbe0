/**
 * Submission of campaigns to a queue.
 *
 * @module
 */

import { versions } from "../../config/versions.ts";
import type { CampaignItem } from "../item/item.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import type { ResultStore } from "../store/result_store.ts";
import type { QueuePriority } from "./names.ts";
import type { ConfirmationOptions } from "./patience.ts";
import { publishItems, type QueueItem } from "./publish.ts";
import type { Queue } from "./queue.ts";
import { putRecipe } from "./recipes.ts";
import { stateIds } from "./states.ts";

/** An item with the text by which users know its structure. */
export interface LabeledItem {
  readonly item: CampaignItem;
  /** Text for messages, such as a file and the index of a frame. */
  readonly label: string;
}

/** Options of {@linkcode submitCampaign}. */
export interface SubmitOptions extends ConfirmationOptions {
  /** Priority of the items. @default "normal" */
  readonly priority?: QueuePriority;
  /** Store with results: items that have one are left out. @default all items are published */
  readonly store?: ResultStore;
  /** Receives the numbers so far. */
  readonly onProgress?: (counts: SubmitCounts) => void;
}

/** Numbers of items of a submission. */
export interface SubmitCounts {
  /** Items that were published. */
  published: number;
  /** Items that were in the queue already. */
  present: number;
  /** Items with a result. */
  finished: number;
  /** Items that were set aside before, and that `retryAside` publishes. */
  aside: number;
}

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
