/**
 * Runs in new run folders. The old run of `--overwrite` is removed only when the new one is over.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { reasonOf } from "../../base/show.ts";
import { partsOf } from "../../config/hooks/hook_module.ts";
import { namesIn, parseIdentity, pathsIn, textIn } from "../../config/runs/run_files.ts";
import { hasSteps } from "../../config/runs/run_identity.ts";
import { builtin } from "../../platform/process.ts";
import { currentFolder } from "../../platform/program.ts";
import { UsageError } from "../frame/usage_error.ts";
import { exists } from "./formats.ts";
import { OldRun } from "./old_run.ts";
import { splitRange } from "./structures.ts";

/** Files and folders that the commands write into a run folder. */
const RUN_FILES: ReadonlySet<string> = new Set([
  "config.json",
  "runs.jsonl",
  "lock",
  "lock.lock",
  "logs",
  "checkpoints",
  "plots",
  "report.html",
  "report.md",
  "log.csv",
  "final.xyz",
  "status.csv",
  "status.jsonl",
  "outcome.json",
  "model.onnx",
  "model.json",
  "model.ref.json",
]);

/** Returns whether a run folder has a file of this name already. Some file systems ignore case. */
export function isRunFile(name: string): boolean {
  return RUN_FILES.has(name.toLowerCase());
}

/** What `--overwrite` may replace. */
export interface Replacement {
  /** True to replace the run in the folder. */
  readonly overwrite: boolean;
  /** Paths that the command reads, as the user has given them. */
  readonly inputs: readonly string[];
}

/**
 * Calls `body`, which runs in a new folder. With `overwrite`, the run that is there is moved aside before, and removed
 * afterwards. If `body` throws before the first step, its folder is removed, and the old run is moved back.
 *
 * @throws {UsageError} if the folder is not that of a run, has other files, or contains an input
 * @throws {RunFolderBusyError} if the run in the folder is still going on
 */
export async function inNewRun<T>(
  folder: string,
  { overwrite, inputs }: Replacement,
  body: () => Promise<T>,
): Promise<T> {
  const left = await recovered(folder, overwrite);
  const names = await namesIn(folder);
  const isReplaced = overwrite && names.includes("config.json");
  if (names.length > 0 && !isReplaced) return await body();
  const stays = exists(folder) && !isReplaced;
  try {
    if (isReplaced) await checkReplaceable(folder, inputs);
    const old = isReplaced ? await OldRun.moveAside(folder) : undefined;
    try {
      const result = await body();
      for (const run of [old, ...left]) await run?.remove();
      return result;
    } catch (error) {
      await tidy(folder, { old, stays, error });
      throw error;
    }
  } finally {
    for (const run of left) run.release();
  }
}

/**
 * Moves the run back that a killed process has moved aside from a folder, unless the folder has another run. Returns
 * the other runs that are left behind.
 *
 * @throws {UsageError} if a run was moved back, and `overwrite` is false
 */
async function recovered(folder: string, overwrite: boolean): Promise<OldRun[]> {
  const left = await OldRun.leftBehind(folder), last = left.at(-1);
  if (last === undefined || await hasRun(folder)) return left;
  await removeUnused(folder, false);
  if (exists(folder)) return left; // it has files that no run has written
  await last.restore();
  if (overwrite) return left.slice(0, -1);
  for (const run of left.slice(0, -1)) run.release();
  throw new UsageError(
    `Cannot write to ${folder}: the run that an interrupted --overwrite had moved to ${last.path} is there again. ` +
      "Pass --overwrite to replace it",
  );
}

/** Removes the folder of a run that has failed before its first step, and moves the old run back. */
async function tidy(
  folder: string,
  { old, stays, error }: {
    readonly old: OldRun | undefined;
    readonly stays: boolean;
    readonly error: unknown;
  },
): Promise<void> {
  try {
    const isUsed = await hasRun(folder);
    if (!isUsed) await removeUnused(folder, stays);
    if (old === undefined) return;
    await (isUsed ? old.remove() : old.restore());
  } catch {
    if (old === undefined) return; // the first error is more important
    throw new Error(`${reasonOf(error)}. The run that was in ${folder} is in ${old.path}`, {
      cause: error,
    });
  }
}

/** Returns whether the run in a folder has done a step, or finished a structure. */
async function hasRun(folder: string): Promise<boolean> {
  return await hasSteps(pathsIn(folder)) || (await textIn(`${folder}/status.jsonl`) ?? "") !== "";
}

/** Removes a folder, or its contents if it `stays`. A folder with files that no run writes is kept. */
async function removeUnused(folder: string, stays: boolean): Promise<void> {
  const names = await namesIn(folder), own = await ownNames(folder);
  if (names.some((name) => !own(name))) return;
  for (const path of stays ? names.map((name) => `${folder}/${name}`) : [folder]) {
    await remove(path);
  }
}

async function remove(path: string): Promise<void> {
  await builtin("node:fs/promises").rm(path, { recursive: true, force: true });
}

/**
 * Checks that a folder holds a run and nothing else, so that it can be removed. Nothing is changed.
 *
 * @throws {UsageError} if it does not; the message names the first foreign file
 */
export async function checkReplaceable(folder: string, inputs: readonly string[]): Promise<void> {
  const refuse = (reason: string) => {
    throw new UsageError(
      `Cannot replace ${folder}: ${reason}. Pass another folder by --out`,
    );
  };
  const own = await ownNames(folder).catch((error) =>
    refuse(`it is not a run folder (${reasonOf(error)})`)
  );
  const foreign = (await namesIn(folder)).find((name) => !own!(name));
  if (foreign !== undefined) refuse(`it has files that no run has written, such as ${foreign}`);
  if (isInside(currentFolder(), folder)) refuse("the current folder lies in it");
  const input = inputs.find((path) => variants(path).some((one) => isInside(one, folder)));
  if (input !== undefined) refuse(`the run would read ${input} in it`);
}

/** Returns a function that tells whether the run of a folder writes files of a name. */
async function ownNames(folder: string): Promise<(name: string) => boolean> {
  const { config: path } = pathsIn(folder), text = await textIn(path);
  const { config } = text === undefined ? { config: {} } : parseIdentity(text, path);
  const { traj, results } = isObject(config) ? config : {};
  const chosen = [traj, results].filter((name) => typeof name === "string" && name !== "")
    .map((name) => String(name).split(/[/\\]/)[0]!);
  return (name) =>
    isRunFile(name) || TEMPORARY.test(name) ||
    chosen.some((one) => name === one || SQLITE.some((end) => name === `${one}${end}`));
}

/** Files that a killed process leaves behind. */
const TEMPORARY = /\.[0-9a-f-]{36}\.(tmp|part)$/;
/** Endings of the files beside an SQLite database that a killed process leaves behind. */
const SQLITE = ["-journal", "-wal", "-shm"];

/** Returns a path with and without its range of frames, or the name of its export. */
function variants(path: string): readonly string[] {
  return [path, splitRange(path).file, partsOf(path)[0]];
}

/** Returns whether a file or folder exists and lies in a folder, or is that folder. */
function isInside(path: string, folder: string): boolean {
  const { realpathSync } = builtin("node:fs"), { relative, isAbsolute } = builtin("node:path");
  try {
    const way = relative(realpathSync(folder), realpathSync(path));
    return !/^\.\.([/\\]|$)/.test(way) && !isAbsolute(way);
  } catch {
    return false; // it does not exist, or is an address
  }
}
