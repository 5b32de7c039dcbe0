/**
 * The queue of a campaign, as programs use it.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, wholeFrom } from "../../base/check_number.ts";
import { checkKind, checkOneOf, checkOptions } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import type { CampaignItem } from "../item/item.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import type { ResultStore } from "../store/result_store.ts";
import { CampaignHandler } from "./campaign_handler.ts";
import { cancelItems, listAside, retryAside } from "./control.ts";
import type { AsideItem, QueueCounts, SubmitCounts, WorkCounts } from "./counts.ts";
import { PRIORITIES } from "./names.ts";
import type {
  CampaignHandlerOptions,
  LabeledItem,
  QueueOptions,
  SubmitOptions,
  WorkOptions,
} from "./options.ts";
import { countQueue, isMissing, openQueue, type Queue } from "./queue.ts";
import { reconcileCampaign, submitCampaign } from "./submit.ts";
import { workQueue } from "./work.ts";

/** Options of {@linkcode CampaignQueue.work}. */
export interface CampaignWorkOptions
  extends Omit<CampaignHandlerOptions, "signal">, Omit<WorkOptions, "signal"> {
  /** Ends the worker after the items that it computes. @default signal of no effect */
  readonly signal?: AbortSignal;
}

/** Items that were set aside. */
export interface AsideList {
  /** The first of them. */
  readonly items: readonly AsideItem[];
  /** Number of all of them. */
  readonly count: number;
}

/** Result of {@linkcode CampaignQueue.retry}. */
export interface RetryCounts {
  /** Number of items that are in the queue again. */
  readonly retried: number;
  /** Ids of items that were too large to keep with their reason: `reconcile` sends them again. */
  readonly lost: readonly string[];
}

/** A connection to the queue of a campaign. Close it, or declare it with `await using`. */
export interface CampaignQueue extends AsyncDisposable {
  /** Name of the queue on the server. */
  readonly name: string;
  /** Largest message that the queue takes, bytes. A larger structure cannot be submitted. */
  readonly maxBytes: number;
  /**
   * Sends the items of a campaign with their recipe, and creates the queue if it does not exist. Items that are in the
   * queue, that were set aside, or that have a result in `options.store` are left out, so that a submission can be
   * repeated at any time. Resolves when the server has stored all items.
   *
   * @param recipe result of `readRecipe`
   * @param items results of `makeItem` or `readItems` with this recipe, at most some thousands of which are held in
   * memory; with a label for messages, or without
   * @throws {TypeError} if the recipe or an option is not valid
   * @throws {RangeError} if an item is larger than `maxBytes`; those before it are sent
   * @throws {Error} if the server confirms nothing for long, such as for a full disk
   */
  submit(
    recipe: CheckedRecipe,
    items: AsyncIterable<CampaignItem | LabeledItem> | Iterable<CampaignItem | LabeledItem>,
    options?: SubmitOptions,
  ): Promise<SubmitCounts>;
  /**
   * Sends the items in the folder of a campaign (`createCampaign`, `addItems`) that have no result in it, or in
   * `options.store`, and that are neither in the queue nor set aside: after a loss of the server's disk, or at any time.
   *
   * @throws {Error} if the folder is not one of a campaign, or the server confirms nothing for long
   */
  reconcile(folder: string, options?: SubmitOptions): Promise<SubmitCounts>;
  /**
   * Takes items from the queue, computes them, and stores their results, until `options.signal` aborts or, with
   * `untilEmpty`, the queue has no item that this process can compute. An item leaves the queue after its result is on
   * the disk. While the server does not answer, the worker waits.
   *
   * Recipes run no code of modules and download no models unless `modules` and `downloads` allow it.
   *
   * @param store result of `openResultStore`; it stays open
   * @throws {TypeError} if the store or an option is not valid
   * @throws {Error} if the connection lacks a permission, or a result cannot be written; unfinished items are given back
   */
  work(store: ResultStore, options?: CampaignWorkOptions): Promise<WorkCounts>;
  /**
   * Counts the items of the queue.
   *
   * @throws {Error} if the queue does not exist
   */
  count(): Promise<QueueCounts>;
  /**
   * Returns the items that were set aside after too many failed tries, with their reasons.
   *
   * @param most largest number of items to return. @default all
   * @throws {Error} if the queue does not exist
   */
  listAside(most?: number): Promise<AsideList>;
  /**
   * Puts items that were set aside into the queue again.
   *
   * @param ids beginnings of ids. @default all items that were set aside
   * @throws {Error} if the queue does not exist
   */
  retry(ids?: readonly string[]): Promise<RetryCounts>;
  /**
   * Removes items from the queue, those that were set aside, too. Workers finish items that they compute.
   *
   * @param ids complete ids, or `"all"`
   * @returns the number of items that were removed; 0 if the queue does not exist
   */
  cancel(ids: readonly string[] | "all"): Promise<number>;
  /** Sends everything that is buffered, and closes the connection. */
  close(): Promise<void>;
}

/**
 * Connects to the queue of a campaign on a NATS server (2.12 or later, with JetStream).
 *
 * @throws {TypeError} if an option is unknown or has a wrong kind, or the packages of the client are not installed
 * @throws {RangeError} if the name of the queue has other characters than letters, digits, `-` and `_`, or a number is
 * out of range
 * @throws {Error} if no server answers or it refuses the credentials; the message contains no secret
 *
 * @example
 * ```ts ignore
 * // This needs a server: nats-server -js
 * import { fcc } from "@hooke/hooke/batch";
 * import { makeItem, openResultStore, readRecipe } from "@hooke/hooke/campaign";
 * import { openCampaignQueue } from "@hooke/hooke/campaign/queue";
 *
 * const recipe = await readRecipe({
 *   model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
 *   stages: [{ stage: "relax" }],
 * });
 * await using queue = await openCampaignQueue({ servers: "nats://127.0.0.1:4222" });
 * await queue.submit(recipe, [await makeItem(fcc({ element: "Ar", a: 5.3 }), recipe)]);
 * await using store = await openResultStore("argon");
 * const { done } = await queue.work(store, { untilEmpty: true });
 * console.log(done); // 1
 * ```
 *
 * @example Options are checked before the connection opens
 * ```ts
 * import { openCampaignQueue } from "@hooke/hooke/campaign/queue";
 * import { assertRejects } from "@std/assert";
 *
 * const servers = "nats://127.0.0.1:4222";
 * await assertRejects(() => openCampaignQueue({ servers, queue: "my.queue" }), RangeError);
 * await assertRejects(() => openCampaignQueue({ servers, replicas: 2 }), RangeError);
 * ```
 */
export async function openCampaignQueue(options: QueueOptions): Promise<CampaignQueue> {
  checkKind(OPEN, "the options", options, "an object", isObject);
  const { replicas, lease, maxBytes, checkpointBytes } = options;
  if (replicas !== undefined) checkOneOf(OPEN, "replicas", replicas, [1, 3, 5]);
  if (lease !== undefined) checkNumber(OPEN, "lease", lease, wholeFrom(1));
  if (maxBytes !== undefined) checkNumber(OPEN, "maxBytes", maxBytes, wholeFrom(1));
  if (checkpointBytes !== undefined) {
    checkNumber(OPEN, "checkpointBytes", checkpointBytes, wholeFrom(0));
  }
  return new OpenQueue(await openQueue(options));
}

const OPEN = "open a queue", SUBMIT = "submit a campaign", WORK = "work on a queue";

/** Names of the options of a submission and of a worker, for checks. */
const SUBMIT_OPTIONS: readonly (keyof SubmitOptions)[] = [
  "priority",
  "store",
  "onProgress",
  "patience",
  "onWaiting",
];
const WORK_OPTIONS: readonly (keyof CampaignWorkOptions)[] = [
  "signal",
  "abort",
  "tries",
  "batch",
  "retryDelay",
  "untilEmpty",
  "onEvent",
  "batchAtoms",
  "onWarning",
  "hooks",
  "modules",
  "base",
  "downloads",
  "checkpoints",
];

class OpenQueue implements CampaignQueue {
  readonly #queue: Queue;
  readonly name: string;
  readonly maxBytes: number;

  constructor(queue: Queue) {
    this.#queue = queue;
    this.name = queue.names.queue;
    this.maxBytes = queue.maxBytes;
  }

  async submit(
    recipe: CheckedRecipe,
    items: AsyncIterable<CampaignItem | LabeledItem> | Iterable<CampaignItem | LabeledItem>,
    options: SubmitOptions = {},
  ): Promise<SubmitCounts> {
    checkSubmission(options);
    checkKind(SUBMIT, "recipe", recipe, "the result of readRecipe", isChecked);
    return await submitCampaign(this.#queue, recipe, labeled(items), options);
  }

  async reconcile(folder: string, options: SubmitOptions = {}): Promise<SubmitCounts> {
    checkSubmission(options);
    const { recipe: _, ...counts } = await reconcileCampaign(this.#queue, folder, options);
    return counts;
  }

  async work(store: ResultStore, options: CampaignWorkOptions = {}): Promise<WorkCounts> {
    checkOptions(WORK, options, WORK_OPTIONS);
    checkKind(WORK, "store", store, "the result of openResultStore", isStore);
    for (const name of ["tries", "batch"] as const) {
      if (options[name] !== undefined) checkNumber(WORK, name, options[name], wholeFrom(1));
    }
    const { retryDelay } = options;
    if (retryDelay !== undefined) checkNumber(WORK, "retryDelay", retryDelay, NOT_NEGATIVE);
    const { signal = new AbortController().signal, abort, ...rest } = options;
    const handler = new CampaignHandler(this.#queue, store, {
      ...rest,
      ...(abort !== undefined && { signal: abort }),
    });
    try {
      await this.#queue.create().catch(() => {}); // a worker may lack the permission; it waits for the queue then
      return await workQueue(this.#queue, handler, { ...options, signal });
    } finally {
      await handler[Symbol.asyncDispose]();
    }
  }

  async count(): Promise<QueueCounts> {
    return await this.#existing(countQueue(this.#queue));
  }

  async listAside(most: number = Infinity): Promise<AsideList> {
    return await this.#existing(listAside(this.#queue, most));
  }

  async retry(ids?: readonly string[]): Promise<RetryCounts> {
    // `retryAside` tries all items again if there are no ids.
    if (ids?.length === 0) return { retried: 0, lost: [] };
    return await this.#existing(retryAside(this.#queue, ids));
  }

  async cancel(ids: readonly string[] | "all"): Promise<number> {
    checkKind("cancel items", "ids", ids, `an array of ids or "all"`, isIds);
    return await cancelItems(this.#queue, ids === "all" ? undefined : ids);
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Waits for an answer about a queue that must exist. */
  async #existing<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (cause) {
      if (!isMissing(cause)) throw cause;
      throw new Error(`The queue ${this.name} does not exist: submit creates it`, { cause });
    }
  }
}

function checkSubmission(options: SubmitOptions): void {
  checkOptions(SUBMIT, options, SUBMIT_OPTIONS);
  const { priority, store, patience } = options;
  if (patience !== undefined) checkNumber(SUBMIT, "patience", patience, NOT_NEGATIVE);
  if (priority !== undefined) checkOneOf(SUBMIT, "priority", priority, PRIORITIES);
  if (store !== undefined) {
    checkKind(SUBMIT, "store", store, "the result of openResultStore", isStore);
  }
}

function isChecked(value: unknown): boolean {
  return isObject(value) && typeof value["hash"] === "string";
}

function isStore(value: unknown): boolean {
  return isObject(value) && typeof value["putIfAbsent"] === "function";
}

function isIds(value: unknown): boolean {
  return value === "all" || Array.isArray(value) && value.every((id) => typeof id === "string");
}

/** Labels items by their files, or by their ids. */
async function* labeled(
  items: AsyncIterable<CampaignItem | LabeledItem> | Iterable<CampaignItem | LabeledItem>,
): AsyncGenerator<LabeledItem> {
  for await (const one of items) {
    if ("label" in one) yield one;
    else {
      const { source } = one as { readonly source?: unknown };
      yield { item: one, label: typeof source === "string" ? source : one.id.slice(0, 12) };
    }
  }
}
