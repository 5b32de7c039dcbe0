/**
 * Publishing of items, in batches that the server stores as a whole.
 *
 * @module
 */

import { decodeMessage, encodeMessage } from "./message.ts";
import { isId, type QueuePriority } from "./names.ts";
import { mapSome } from "./map_some.ts";
import { type ConfirmationOptions, Confirmations } from "./patience.ts";
import type { Queue } from "./queue.ts";

/** An item on its way into a queue. */
export interface QueueItem {
  /** Id of the item: a SHA-256 in hexadecimal. */
  readonly id: string;
  /** Id of its recipe. */
  readonly recipe: string;
  /** Text by which users know the structure. */
  readonly label: string;
  /** Seed of the item. */
  readonly seed: number;
  /** Version of Hooke that made the id. */
  readonly version: string;
  /** Canonical text of the structure, UTF-8. */
  readonly input: Uint8Array;
}

/** Numbers of items that were published, and that were in the queue already. */
export interface PublishCounts {
  published: number;
  present: number;
}

/** Largest batches that the server takes, and their bytes, which the server holds in memory until the last message. */
const BATCH = { messages: 1000, bytes: 4_000_000, atOnce: 4 } as const;

/** Time in which the server should store a batch, ms. */
const COMMIT = 10_000;

/** Code of the server's answer if a stream has a message of the subject. */
const PRESENT = 10077;

/**
 * Publishes items. An item that is in the queue already is left as it is.
 *
 * @throws {RangeError} if an item is larger than the largest message of the queue; those before it are published
 * @throws {Error} if the server confirms nothing for long, such as for a full disk
 */
export async function publishItems(
  queue: Queue,
  items: AsyncIterable<QueueItem> | Iterable<QueueItem>,
  { priority = "normal", onProgress, ...patience }: ConfirmationOptions & {
    readonly priority?: QueuePriority;
    readonly onProgress?: (counts: PublishCounts) => void;
  } = {},
): Promise<PublishCounts> {
  const counts: PublishCounts = { published: 0, present: 0 };
  const confirmations = new Confirmations(patience);
  let batch = new Map<string, Uint8Array>(), bytes = 0;
  // While the server writes a batch to its disk, the next ones are on their way.
  const sent = new Set<Promise<void>>();
  const send = async () => {
    const sending = publishBatch(queue, { batch, confirmations }, counts).then(() => {
      sent.delete(sending);
      onProgress?.(counts);
    });
    sending.catch(() => {}); // seen below
    sent.add(sending);
    [batch, bytes] = [new Map(), 0];
    if (sent.size >= BATCH.atOnce) await Promise.race(sent);
  };
  for await (const item of items) {
    const message = encodeItem(queue, item);
    const subject = queue.names.item(priority, item.id);
    if (batch.has(subject)) {
      counts.present++;
      continue;
    }
    if (batch.size === BATCH.messages || bytes + message.length > BATCH.bytes) await send();
    batch.set(subject, message);
    bytes += message.length;
  }
  if (batch.size > 0) await send();
  await Promise.all(sent);
  return counts;
}

function encodeItem(
  { maxBytes }: Queue,
  { id, recipe, label, seed, version, input }: QueueItem,
): Uint8Array {
  const message = encodeMessage({ item: id, recipe, seed, label, version }, input);
  if (message.length > maxBytes) {
    throw new RangeError(
      `Cannot queue ${label}: its message has ${message.length} bytes, and the queue takes ${maxBytes}. Raise max_payload of the server`,
    );
  }
  return message;
}

/**
 * Returns the item in a message.
 *
 * @throws {SyntaxError} if it is not a message with an item
 */
export function decodeItem(bytes: Uint8Array): QueueItem {
  const { head: { item: id, recipe, seed, label, version }, body } = decodeMessage(bytes);
  if (
    !isId(id) || !isId(recipe) || !Number.isSafeInteger(seed) || typeof version !== "string" ||
    typeof label !== "string"
  ) {
    throw new SyntaxError(
      "Cannot read the message: a member of its first line is missing or wrong",
    );
  }
  return { id, recipe, seed: seed as number, label, version, input: body };
}

/** Publishes a batch as a whole, and message by message if the server refuses it, such as for an item that it has. */
async function publishBatch(
  queue: Queue,
  { batch, confirmations }: {
    readonly batch: ReadonlyMap<string, Uint8Array>;
    readonly confirmations: Confirmations;
  },
  counts: PublishCounts,
): Promise<void> {
  if (batch.size > 1) {
    try {
      await publishWhole(queue, [...batch]);
      counts.published += batch.size;
      return;
    } catch {
      // Each message gets its own answer below. Those that the server has are refused by their subjects.
    }
  }
  await mapSome([...batch], async ([subject, message]) => {
    if (await publishOne(queue, { subject, message, confirmations })) counts.published++;
    else counts.present++;
  });
}

async function publishWhole(
  { stream }: Queue,
  messages: readonly (readonly [subject: string, message: Uint8Array])[],
): Promise<void> {
  const [first, ...others] = messages, last = others.pop()!;
  const batch = await stream.startBatch(...first!);
  for (const [subject, message] of others) batch.add(subject, message);
  await batch.commit(...last, { timeout: COMMIT });
}

/** Publishes a message. Returns false if the stream has one of its subject. */
export async function publishOne(
  { stream }: Queue,
  { subject, message, confirmations }: {
    readonly subject: string;
    readonly message: Uint8Array;
    readonly confirmations: Confirmations;
  },
): Promise<boolean> {
  try {
    await confirmations.wait((timeout) => stream.publish(subject, message, { timeout }));
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === PRESENT) return false;
    throw error;
  }
}
