/**
 * Counts and events of queues.
 *
 * @module
 */

import type { QueuePriority } from "./names.ts";

/** Numbers of items in a queue. */
export interface QueueCounts {
  /** Items that no worker has, by priority. */
  readonly waiting: Readonly<Record<QueuePriority, number>>;
  /** Items that workers have. */
  readonly running: number;
  /** Items that were delivered again at least once, and are not finished. */
  readonly redelivered: number;
  /** Items that were set aside. */
  readonly aside: number;
  /** Requests for items that are open: workers without work. */
  readonly idle: number;
  /** Size of all items, bytes. */
  readonly bytes: number;
}

/** Numbers of items of a submission. */
export interface SubmitCounts {
  /** Items that were published. */
  published: number;
  /** Items that were in the queue already. */
  present: number;
  /** Items with a result. */
  finished: number;
  /** Items that were set aside before, and that `retry` publishes. */
  aside: number;
}

/** Numbers of items that a worker has handled. */
export interface WorkCounts {
  /** Items whose results the worker stored. */
  done: number;
  /** Items that had a result already. */
  known: number;
  /** Failed tries. */
  failed: number;
  /** Items that were set aside. */
  aside: number;
  /** Messages that are no items. */
  foreign: number;
  /** Items that the worker has left to other workers, because it lacks something that they need. */
  left: number;
}

/**
 * Event that a worker reports: an item is `"done"`, `"failed"` (it is tried again), set `"aside"`, or left to a worker
 * that has what this one lacks (`"elsewhere"`); a `"foreign"` message was removed; or the worker is `"waiting"` for the
 * server, once until it answers.
 */
export type WorkEvent =
  | { readonly type: "done"; readonly id: string; readonly label: string }
  | {
    readonly type: "failed" | "aside" | "elsewhere";
    readonly id: string;
    readonly label: string;
    readonly reason: string;
  }
  | { readonly type: "foreign"; readonly subject: string; readonly reason: string }
  | { readonly type: "waiting"; readonly reason: string };

/** An item that was set aside. */
export interface AsideItem {
  /** Id of the item. */
  readonly id: string;
  /** Text by which users know its structure. */
  readonly label: string;
  /** Hash of its recipe. */
  readonly recipe: string;
  /** Its priority, which it gets again when it is retried. */
  readonly priority: QueuePriority;
  /** Reason of the last failure. */
  readonly error: string;
  /** Number of failed tries. */
  readonly tries: number;
  /** Time at which it was set aside, ISO 8601. */
  readonly at: string;
}
