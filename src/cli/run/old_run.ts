/**
 * Runs that `--overwrite` has moved aside.
 *
 * @module
 */

import { refusal } from "../../base/file_refusal.ts";
import { RunFolderBusyError } from "../../config/runs/run_folder_busy_error.ts";
import { RunLock } from "../../config/runs/run_lock.ts";
import { findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";

/**
 * A run that was moved aside, beside its folder. It stays locked until it is removed or moved back, so that another
 * process does not take it for one that a killed process has left behind.
 */
export class OldRun {
  /** Path to which the run was moved. */
  readonly path: string;
  readonly #folder: string;
  #lock: RunLock | undefined;

  private constructor(path: string, folder: string, lock: RunLock) {
    this.path = path;
    this.#folder = folder;
    this.#lock = lock;
  }

  /**
   * Moves the run in a folder aside.
   *
   * @throws {RunFolderBusyError} if the run is still going on
   * @throws {Error} if the file system refuses, with its `code`
   */
  static async moveAside(folder: string): Promise<OldRun> {
    const lock = RunLock.take(folder), aside = `${folder}.old-${crypto.randomUUID()}`;
    // Windows does not rename folders with open files.
    const isWindows = findHost()!.build.os === "windows";
    try {
      if (isWindows) lock.release();
      await builtin("node:fs/promises").rename(folder, aside);
    } catch (error) {
      if (!isWindows) lock.release();
      throw refusal(`Cannot replace ${folder}`, error);
    }
    return new OldRun(aside, folder, isWindows ? RunLock.take(aside) : lock);
  }

  /** Returns the runs that killed processes have moved aside from a folder, and locks them. */
  static async leftBehind(folder: string): Promise<OldRun[]> {
    const { dirname, basename, join } = builtin("node:path");
    const { readdir } = builtin("node:fs/promises"), parent = dirname(folder);
    const names = await readdir(parent).catch(() => []), begin = `${basename(folder)}.old-`;
    const found: OldRun[] = [];
    for (const name of names) {
      if (!name.startsWith(begin) || !UUID.test(name.slice(begin.length))) continue;
      const path = join(parent, name);
      try {
        found.push(new OldRun(path, folder, RunLock.take(path)));
      } catch (error) {
        // The process that has moved it aside is still running, or it is no folder of a run.
        if (!(error instanceof RunFolderBusyError) && !(error instanceof SyntaxError)) throw error;
      }
    }
    return found;
  }

  /** Moves the run back. */
  async restore(): Promise<void> {
    this.release();
    await builtin("node:fs/promises").rename(this.path, this.#folder);
  }

  /** Removes the run. */
  async remove(): Promise<void> {
    this.release();
    await builtin("node:fs/promises").rm(this.path, { recursive: true, force: true });
  }

  /** Leaves the run where it is. */
  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
