/**
 * Checkpoint of a run in a file.
 *
 * @module
 */

import { readCheckpoint, writeCheckpoint } from "../../checkpoint/mod.ts";
import { codeOf } from "../../base/file_refusal.ts";
import { reasonOf } from "../../base/show.ts";
import { builtin } from "../../platform/process.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import type { ItemRunner } from "./item_runner.ts";
import { contentOf, RUN_STATE } from "./run_state.ts";
import { isSavedRun, type SavedRun } from "./saved_run.ts";

/** A file with the unfinished items of a process. */
export class RunFile {
  readonly #path: string;
  readonly #onNotice: (message: string) => void;
  #writing: Promise<void> = Promise.resolve();

  /** Creates nothing yet. `onNotice` gets a message if the file cannot be used; the items then begin again. */
  constructor(path: string, onNotice: (message: string) => void) {
    this.#path = path;
    this.#onNotice = onNotice;
  }

  /** Returns the run in the file; undefined if there is none, or one that cannot be continued. */
  async read(recipe: CheckedRecipe): Promise<SavedRun | undefined> {
    try {
      const { data } = await readCheckpoint(this.#path, RUN_STATE);
      if (isSavedRun(data, recipe)) return data;
      this.#onNotice(`Ignored ${this.#path}: it belongs to another recipe`);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      this.#onNotice(`Ignored ${this.#path}: ${reasonOf(error)}`);
    }
    return undefined;
  }

  /** Writes the state of a run. An error is a notice: without the file, items begin again. */
  async write(runner: ItemRunner): Promise<void> {
    const write = async () => {
      try {
        const data = await runner.save();
        if (data === undefined) return;
        await writeCheckpoint(this.#path, contentOf(data));
      } catch (error) {
        this.#onNotice(`Cannot save unfinished structures: ${reasonOf(error)}`);
      }
    };
    await (this.#writing = this.#writing.then(write));
  }

  /** Removes the file. */
  async remove(): Promise<void> {
    await this.#writing;
    await builtin("node:fs/promises").rm(this.#path, { force: true });
  }
}
