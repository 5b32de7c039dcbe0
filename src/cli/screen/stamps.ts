/**
 * Changes of input files between the parts of a screening.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";
import { UsageError } from "../frame/usage_error.ts";
import { splitRange } from "../run/structures.ts";
import type { ScreenResult } from "./screen_result.ts";

/** A line of the ledger: a result, and the size and time of the file from which its structure was read. */
export type LedgerLine = ScreenResult & { readonly input?: string };

/** Number of changed files that a message names. */
const SHOWN = 3;

/** Sizes in bytes and times of change of files, each looked up once. */
export class Stamps {
  readonly #known = new Map<string, string | undefined>();

  /** Returns the size and the time of a file; undefined if it does not exist. */
  async of(path: string): Promise<string | undefined> {
    const { file } = splitRange(path);
    if (!this.#known.has(file)) {
      const info = await builtin("node:fs/promises").stat(file).catch(() => undefined);
      this.#known.set(file, info && `${info.size} bytes, ${info.mtime.toISOString()}`);
    }
    return this.#known.get(file);
  }

  /** Returns the size and the time of a file that was looked up; undefined for other files. */
  known(path: string): string | undefined {
    return this.#known.get(splitRange(path).file);
  }

  /**
   * Returns the lines of a ledger that are still valid. Failures of files that could not be read are left out, because
   * the files are read again; so are all failures of files that have changed.
   *
   * @throws {UsageError} if a file has changed after its structures were relaxed
   */
  async stillValid(folder: string, lines: readonly LedgerLine[]): Promise<readonly LedgerLine[]> {
    const kept: LedgerLine[] = [], changed = new Set<string>();
    for (const line of lines) {
      const isChanged = line.input !== undefined && line.input !== await this.of(line.file);
      const isFailed = line.status === "failed";
      if (isChanged && !isFailed) changed.add(line.file);
      if (line.frame !== null && !(isChanged && isFailed)) kept.push(line);
    }
    if (changed.size === 0) return kept;
    const names = [...changed].slice(0, SHOWN).join(", ");
    const more = changed.size > SHOWN ? ` and ${changed.size - SHOWN} more` : "";
    throw new UsageError(
      `Cannot resume ${folder}: ${names}${more} changed after structures in it were relaxed. ` +
        "Restore the files, or screen them into another folder",
    );
  }
}
