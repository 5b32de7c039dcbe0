/**
 * The runs of folders.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";
import type { RunInfo, RunSource } from "../protocol.ts";
import { FolderRun } from "./folder_run.ts";

/** The runs that a page shows. */
export interface Shelf {
  /** Returns summaries of all runs, the newest first. */
  list(): Promise<readonly RunInfo[]>;
  /** Returns a run by its id; undefined if there is none. */
  find(id: string): Promise<ShelvedRun | undefined>;
  /** Frees what the runs hold. */
  close(): Promise<void>;
}

/** A run with a folder from which files can be downloaded. */
export interface ShelvedRun extends RunSource {
  /** Path of the folder; undefined if the run has none. */
  readonly path: string | undefined;
}

/** Most runs of a page, and how deep below the folders they are looked for. */
const MOST = 200, DEEPEST = 4;

/** Shows the runs of folders, which may be run folders, or have run folders below them. New ones are found later. */
export class FolderShelf implements Shelf {
  readonly #roots: readonly string[];
  readonly #runs = new Map<string, { readonly path: string; run: FolderRun | undefined }>();
  readonly #ids = new Map<string, string>();
  readonly #damaged = new Map<string, string>();

  /** Does not read the folders yet. */
  constructor(folders: readonly string[]) {
    this.#roots = folders;
  }

  /** Folders that look like run folders and cannot be shown, with the reason. */
  get damaged(): ReadonlyMap<string, string> {
    return this.#damaged;
  }

  /** See {@linkcode Shelf.list}. */
  async list(): Promise<readonly RunInfo[]> {
    await this.#discover();
    const infos: { readonly info: RunInfo; readonly changed: number }[] = [];
    for (const [id, { path }] of this.#runs) {
      const run = await this.find(id);
      if (run === undefined) continue;
      try {
        infos.push({ info: await run.info(), changed: await changedAt(path) });
      } catch (error) {
        this.#damaged.set(path, error instanceof Error ? error.message : String(error));
      }
    }
    return infos.toSorted((a, b) => b.changed - a.changed).map(({ info }) => info);
  }

  /** See {@linkcode Shelf.find}. */
  async find(id: string): Promise<FolderRun | undefined> {
    if (!this.#runs.has(id)) await this.#discover();
    const known = this.#runs.get(id);
    if (known === undefined) return undefined;
    try {
      return known.run ??= await FolderRun.open({ path: known.path, id });
    } catch (error) {
      this.#damaged.set(known.path, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** See {@linkcode Shelf.close}. */
  async close(): Promise<void> {
    for (const { run } of this.#runs.values()) await run?.close();
  }

  async #discover(): Promise<void> {
    const { basename, resolve } = builtin("node:path");
    const found: string[] = [];
    for (const root of this.#roots) {
      const name = basename(resolve(root));
      for await (const below of runFoldersIn(root)) {
        const path = below === "" ? root : `${root}/${below}`;
        found.push(path);
        this.#add(path, [name, below].filter((part) => part !== "").join("/"));
        if (found.length >= MOST) return;
      }
    }
    for (const [id, { path, run }] of this.#runs) {
      if (found.includes(path)) continue;
      this.#runs.delete(id); // the folder was removed
      this.#ids.delete(path);
      await run?.close();
    }
  }

  #add(path: string, name: string): void {
    if (this.#ids.has(path)) return;
    let id = name;
    for (let n = 2; this.#runs.has(id); n++) id = `${name}-${n}`;
    this.#ids.set(path, id);
    this.#runs.set(id, { path, run: undefined });
  }
}

/** Yields the paths of run folders below a folder; an empty text for the folder itself. Links are not followed. */
async function* runFoldersIn(root: string, below = "", depth = 0): AsyncGenerator<string> {
  const { readdir } = builtin("node:fs/promises");
  const folder = below === "" ? root : `${root}/${below}`;
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (depth > 0) return []; // a folder below that may not be read has no runs for this user
    throw error;
  });
  if (entries.some((entry) => entry.isFile() && entry.name === "config.json")) {
    yield below;
    return;
  }
  if (depth >= DEEPEST) return;
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    if (name.startsWith(".") || name === "node_modules") continue;
    yield* runFoldersIn(root, below === "" ? name : `${below}/${name}`, depth + 1);
  }
}

async function changedAt(path: string): Promise<number> {
  const { stat } = builtin("node:fs/promises");
  const times = await Promise.all(
    [path, `${path}/runs.jsonl`, `${path}/logs/scalars.jsonl`, `${path}/status.jsonl`].map((file) =>
      stat(file).then(({ mtimeMs }) => mtimeMs, () => 0)
    ),
  );
  return Math.max(...times);
}
