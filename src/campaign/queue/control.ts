/**
 * Control of a queue: items that were set aside are listed and tried again, and waiting ones are cancelled.
 *
 * @module
 */

import { encodeMessage } from "./message.ts";
import { removeObject, removeObjects } from "./checkpoint_bucket.ts";
import type { AsideItem } from "./counts.ts";
import { mapSome } from "./map_some.ts";
import { PRIORITIES } from "./names.ts";
import { Confirmations, patiently } from "./patience.ts";
import { publishOne } from "./publish.ts";
import { isMissing, type Queue } from "./queue.ts";
import { getState, isNone, removeState, stateIds } from "./states.ts";

/** Returns the items that were set aside, at most `most`, and the number of all of them. */
export async function listAside(
  queue: Queue,
  most: number = Infinity,
): Promise<{ readonly items: readonly AsideItem[]; readonly count: number }> {
  const ids = await stateIds(queue, "aside");
  const items = await mapSome(ids.slice(0, most), async (id) => {
    const { item, label, recipe, priority, error, tries, at } =
      (await getState(queue, "aside", id))?.head ?? {};
    return item === undefined
      ? undefined
      : { id, label, recipe, priority, error, tries, at } as AsideItem;
  });
  return { items: items.filter((item) => item !== undefined), count: ids.length };
}

/**
 * Puts items that were set aside into the queue again.
 *
 * @param ids beginnings of ids; without any, all items are tried again
 * @returns the number of items, and the ids of those whose input is not in the queue: `reconcileCampaign` publishes
 * them
 */
export async function retryAside(
  queue: Queue,
  ids: readonly string[] = [],
): Promise<{ readonly retried: number; readonly lost: readonly string[] }> {
  const lost: string[] = [], confirmations = new Confirmations();
  const chosen = (await stateIds(queue, "aside")).filter((id) =>
    ids.length === 0 || ids.some((beginning) => id.startsWith(beginning))
  );
  await mapSome(chosen, async (id) => {
    const state = await getState(queue, "aside", id);
    if (state === undefined) return;
    const { item, recipe, seed, label, version, priority } = state.head;
    if (state.body.length === 0) {
      lost.push(id);
    } else {
      await removeState(queue, "try", id);
      const level = PRIORITIES.find((each) => each === priority) ?? "normal";
      const message = encodeMessage({ item, recipe, seed, label, version }, state.body);
      await publishOne(queue, { subject: queue.names.item(level, id), message, confirmations });
    }
    await removeState(queue, "aside", id);
  });
  return { retried: chosen.length - lost.length, lost };
}

/**
 * Removes items from the queue. Workers finish those that they compute.
 *
 * @param ids ids of items; without any, the whole queue is emptied, with the items that were set aside
 * @returns the number of items that were removed
 */
export async function cancelItems(queue: Queue, ids?: readonly string[]): Promise<number> {
  const { manager, names } = queue;
  const purge = async (stream: string, filter?: string) => {
    const options = filter === undefined ? undefined : { filter };
    try {
      return (await patiently(() => manager.streams.purge(stream, options))).purged;
    } catch (error) {
      if (isMissing(error)) return 0;
      throw error;
    }
  };
  if (ids === undefined) {
    const removed = await purge(names.items) + await purge(names.states, names.state("aside", "*"));
    await purge(names.states, names.state("try", "*"));
    await removeObjects(queue).catch(ignoreMissing);
    return removed;
  }
  const counts = await mapSome(ids, async (id) => {
    const removed = await Promise.all([
      ...PRIORITIES.map((priority) => purge(names.items, names.item(priority, id))),
      purge(names.states, names.state("aside", id)),
    ]);
    await purge(names.states, names.state("try", id));
    await removeObject(queue, id).catch(ignoreMissing);
    return removed.some((each) => each > 0) ? 1 : 0;
  });
  return counts.reduce((sum: number, each) => sum + each, 0);
}

/** Ignores that a queue has no checkpoints. */
function ignoreMissing(error: unknown): void {
  if (!isNone(error)) throw error;
}
