/**
 * Counts tries of items, and sets items aside that have failed too often.
 *
 * The server counts deliveries, but a delivery is not a try: a worker that is killed takes all items of its batch with
 * it. So the first try of an item is not noted unless it fails. An item that was delivered before is noted before it
 * runs, and runs alone: if its worker ends then, the item is the cause.
 *
 * @module
 */

import { encodeMessage } from "./message.ts";
import { getState, putState, removeState } from "./states.ts";
import type { QueuePriority } from "./names.ts";
import type { QueueItem } from "./publish.ts";
import type { Queue } from "./queue.ts";

/** Tries of an item. */
export interface Tries {
  readonly count: number;
  /** Reason of the last failure. */
  readonly error: string;
}

/** Longest reason that is stored, characters. */
const LONGEST = 2000;

const LOST = "its worker ended while it ran, such as for lack of memory";

/** Returns the tries of an item that were noted. */
export async function readTries(queue: Queue, id: string): Promise<Tries> {
  const { count, error } = (await getState(queue, "try", id))?.head ?? {};
  return {
    count: Number.isSafeInteger(count) ? count as number : 0,
    error: typeof error === "string" ? error : LOST,
  };
}

/** Notes a try: before it begins (without an error), or after it has failed. */
export async function noteTry(
  queue: Queue,
  id: string,
  { count, error }: Partial<Tries>,
): Promise<void> {
  await putState(queue, "try", id, { count, error: (error ?? LOST).slice(0, LONGEST) });
}

/** Forgets the tries of an item. */
export async function forgetTries(queue: Queue, id: string): Promise<void> {
  await removeState(queue, "try", id);
}

/** Sets an item aside with its reason. Resolves when the server has stored it. */
export async function setAside(
  queue: Queue,
  item: QueueItem,
  { priority, tries: { count, error } }: {
    readonly priority: QueuePriority;
    readonly tries: Tries;
  },
): Promise<void> {
  const { id, recipe, seed, label, version, input } = item;
  const head = {
    item: id,
    recipe,
    seed,
    label,
    version,
    priority,
    tries: count,
    error: error.slice(0, LONGEST),
    at: new Date().toISOString(),
  };
  // An input that fits only without the reason is left out: `reconcile` publishes it again.
  const fits = encodeMessage(head, input).length <= queue.maxBytes;
  await putState(queue, "aside", id, head, fits ? input : new Uint8Array());
}
