/**
 * Names of the streams, consumers and subjects of a queue.
 *
 * A queue has two streams. The stream of items has one message per item, which is removed when the item is acknowledged;
 * its subjects end with the id of the item, and it refuses a second message of a subject. The stream of states keeps the
 * last message of each subject: recipes, failed tries, and items that were set aside. An object store has checkpoints.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Priority of an item. Workers take items of a higher priority first. */
export type QueuePriority = "high" | "normal" | "low";

/** Priorities of items, highest first. */
export const PRIORITIES: readonly QueuePriority[] = ["high", "normal", "low"];

/** Kinds of messages in the stream of states. */
export type StateKind = "recipe" | "try" | "aside";

/** Names of the streams, consumers and subjects of one queue. */
export interface QueueNames {
  /** Name of the queue. */
  readonly queue: string;
  /** Stream of the items that have no result yet. */
  readonly items: string;
  /** Stream of recipes, tries, and items that were set aside. */
  readonly states: string;
  /** Object store of the checkpoints of unfinished items. */
  readonly checkpoints: string;
  /** Returns the consumer of a priority. */
  consumer(priority: QueuePriority): string;
  /** Returns the subject of an item. */
  item(priority: QueuePriority, id: string): string;
  /** Returns the subject of a state. */
  state(kind: StateKind, id: string): string;
}

/**
 * Returns the names of a queue.
 *
 * @throws {RangeError} if the name has other characters than letters, digits, `-` and `_`, or more than 64
 */
export function queueNames(queue: string): QueueNames {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(queue)) {
    throw new RangeError(
      `The name of a queue must have 1 to 64 letters, digits, "-" and "_"; got ${show(queue)}`,
    );
  }
  return {
    queue,
    items: `HOOKE_${queue}_ITEMS`,
    states: `HOOKE_${queue}_STATES`,
    checkpoints: `HOOKE_${queue}_CHECKPOINTS`,
    consumer: (priority) => `workers-${priority}`,
    item: (priority, id) => `hooke.${queue}.item.${priority}.${id}`,
    state: (kind, id) => `hooke.${queue}.${kind}.${id}`,
  };
}

/** Returns the priority and the id in the subject of an item; undefined if it is not such a subject. */
export function readItemSubject(
  subject: string,
): { readonly priority: QueuePriority; readonly id: string } | undefined {
  const [hooke, , item, name, id, ...rest] = subject.split(".");
  const priority = PRIORITIES.find((each) => each === name);
  if (hooke !== "hooke" || item !== "item" || priority === undefined) return undefined;
  return id !== undefined && isId(id) && rest.length === 0 ? { priority, id } : undefined;
}

/** Returns whether a text is the id of an item or of a recipe: a SHA-256 in hexadecimal. */
export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}
