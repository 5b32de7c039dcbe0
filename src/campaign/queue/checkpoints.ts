/**
 * Checkpoints of items that take long. If the worker of an item ends, the next one continues from the last checkpoint,
 * also on another machine, with the same bytes.
 *
 * @module
 */

import { decodeCheckpoint, encodeCheckpoint } from "../../checkpoint/mod.ts";
import type { CampaignItem } from "../item/item.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import type { ItemRunner } from "../run/item_runner.ts";
import { contentOf, RUN_STATE } from "../run/run_state.ts";
import { isSavedRun, type SavedRun } from "../run/saved_run.ts";
import { getObject, putObject, removeObject } from "./checkpoint_bucket.ts";
import { reasonOf } from "./connection.ts";
import type { CheckpointOptions } from "./options.ts";
import type { Queue } from "./queue.ts";

/** Saves the items of one worker in the object store of a queue. */
export class Checkpoints {
  readonly #queue: Queue;
  readonly #seconds: number;
  readonly #mostBytes: number;
  readonly #onNotice: (text: string) => void;
  readonly #noticed = new Set<string>();
  /** Items that may have a checkpoint. */
  readonly #saved = new Set<string>();
  #isForbidden = false;

  constructor(
    queue: Queue,
    { seconds = 600, mostBytes = 64 << 20, onNotice = () => {} }: CheckpointOptions = {},
  ) {
    this.#queue = queue;
    this.#mostBytes = mostBytes;
    this.#seconds = seconds;
    this.#onNotice = onNotice;
    if (seconds > 0) void this.#watch();
  }

  /**
   * Returns the state from which an item continues; undefined if it begins. The item was checked, so its structure and
   * its seed are not taken from the checkpoint.
   */
  async read(item: CampaignItem, recipe: CheckedRecipe): Promise<SavedRun | undefined> {
    if (!this.#isOn) return undefined;
    try {
      const bytes = await getObject(this.#queue, item.id, this.#mostBytes);
      if (bytes === undefined) return undefined;
      this.#saved.add(item.id);
      const { data } = decodeCheckpoint(bytes, RUN_STATE);
      const [one, ...others] = isSavedRun(data, recipe) ? data.items : [];
      if (one?.item?.id === item.id && others.length === 0) {
        return { ...data as SavedRun, items: [{ ...one, item }] };
      }
      this.#notice("Ignored a checkpoint: it belongs to another structure or recipe");
    } catch (error) {
      this.#notice(`Cannot read a checkpoint: ${reasonOf(error)}`);
    }
    return undefined;
  }

  /**
   * Does the work of an item while it is saved at each interval, and again if the work was interrupted: it returns false
   * then.
   */
  async during(id: string, runner: ItemRunner, work: () => Promise<boolean>): Promise<void> {
    if (!this.#isOn) return void await work();
    let saving: Promise<void> = Promise.resolve();
    const save = () => saving = saving.then(() => this.#save(id, runner));
    const timer = setInterval(() => void save(), 1000 * this.#seconds);
    try {
      if (!await work()) await save();
    } finally {
      clearInterval(timer);
      await saving;
    }
  }

  /** Removes the checkpoint of an item, which has a result, or cannot continue from it. */
  async forget(id: string): Promise<void> {
    if (!this.#saved.delete(id)) return;
    // The server removes what is left after some days.
    await removeObject(this.#queue, id).catch(() => {});
  }

  get #isOn(): boolean {
    return this.#seconds > 0 && !this.#isForbidden;
  }

  /** Saves an item between two of its steps. The item does not wait for the server. */
  async #save(id: string, runner: ItemRunner): Promise<void> {
    try {
      const run = await runner.save();
      if (run === undefined || !this.#isOn) return;
      const bytes = encodeCheckpoint(contentOf(run));
      if (bytes.length > this.#mostBytes) {
        return this.#notice(
          `Cannot save a structure: its checkpoint has ${bytes.length} bytes, and may have ${this.#mostBytes}. ` +
            "It begins again if this worker ends",
        );
      }
      this.#saved.add(id);
      await putObject(this.#queue, id, bytes);
    } catch (error) {
      this.#notice(`Cannot save unfinished structures in the queue: ${reasonOf(error)}`);
    }
  }

  #notice(text: string): void {
    if (this.#noticed.has(text)) return;
    this.#noticed.add(text);
    this.#onNotice(text);
  }

  /** Ends saving if the worker may not use the object store: each request would wait for an answer. */
  async #watch(): Promise<void> {
    for await (const status of this.#queue.nats.status()) {
      if (status.type !== "error" || !isAboutCheckpoints(status.error)) continue;
      this.#isForbidden = true;
      this.#notice(`Cannot save unfinished structures in the queue: ${status.error.message}`);
    }
  }
}

/** Returns whether an error is a missing permission for checkpoints, without which a worker can work. */
export function isAboutCheckpoints({ name, message }: Error): boolean {
  return name === "PermissionViolationError" && /\.OBJ_|\$O\./.test(message);
}
