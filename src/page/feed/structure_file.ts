/**
 * Structures of a file to which a run appends.
 *
 * @module
 */

import { findHost } from "../../platform/host.ts";
import type { SystemsFile } from "../../formats/files.ts";
import { openSystems } from "../../sinks/systems_file.ts";
import type { ViewerFrame } from "../protocol.ts";
import { frameOf } from "./frame_of.ts";

/** Part of the time that may be spent with opening the file again. */
const SHARE = 0.05;

/** Reads structures of a growing file. It is opened again when it has grown, but seldom if that takes long. */
export class StructureFile {
  readonly path: string;
  #opened: SystemsFile | undefined;
  #state = "";
  #next = 0;
  #work: Promise<unknown> = Promise.resolve();

  /** Does not open the file, which need not exist yet. */
  constructor(path: string) {
    this.path = path;
  }

  /** Number of structures, as of the last `refresh`. */
  get length(): number {
    return this.#opened?.length ?? 0;
  }

  /** Opens the file again if it has changed. A file that cannot be read yet has no structures. */
  async refresh(): Promise<void> {
    await this.#alone(async () => {
      const state = stateOf(this.path), begun = performance.now();
      if (state === this.#state || begun < this.#next) return;
      const opened = state === ""
        ? undefined
        : await openSystems(this.path, { onWarning: () => {} }).catch(() => undefined);
      await this.#opened?.close();
      [this.#opened, this.#state] = [opened, state];
      const now = performance.now();
      this.#next = now + (now - begun) / SHARE;
    });
  }

  /** Reads a structure. Rejects with a RangeError if there is none. */
  async frame(index: number): Promise<ViewerFrame> {
    return await this.#alone(async () => {
      if (this.#opened === undefined) {
        throw new RangeError(`Cannot read ${this.path}: no structures`);
      }
      return frameOf(await this.#opened.get(index));
    });
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#alone(async () => {
      await this.#opened?.close();
      this.#opened = undefined;
    });
  }

  /** Runs one piece of work at a time: a reader has one position in the file. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#work;
    const result = before.then(work, work);
    this.#work = result.catch(() => {});
    return await result;
  }
}

/** Returns a text that changes when the file does; an empty text without a file. */
function stateOf(path: string): string {
  try {
    const { size, mtime, ino } = findHost()!.statSync(path);
    return `${size} ${mtime?.getTime()} ${ino}`;
  } catch {
    return "";
  }
}
