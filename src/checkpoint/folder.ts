/**
 * Checkpoints in a folder, each named by the steps that were done.
 *
 * @module
 */

import { makeFolder } from "../base/durable_folder.ts";
import { lockPath, type PathLock } from "../base/path_lock.ts";
import { readCheckpoint } from "./file.ts";
import { codeOf } from "./replace_file.ts";

const NAME = /^step-(\d+)\.hooke$/;
/** What a kill leaves of one that was being written. */
const UNFINISHED = /^step-\d+\.hooke\.[-0-9a-f]{36}\.tmp$/;

/** Error codes of file systems for folders, and for links to nowhere or to themselves. */
const NO_FILE: readonly unknown[] = ["ENOENT", "EISDIR", "ELOOP"];
const FOLDER: readonly unknown[] = ["EISDIR", "ERR_FS_EISDIR", "EPERM"];

/** A checkpoint in a folder. */
export interface StepCheckpoint {
  /** Where it is. */
  readonly path: string;
  /** Steps done. */
  readonly step: number;
}

/** The name of a checkpoint in its folder. */
export function stepName(step: number): string {
  return `step-${String(step).padStart(9, "0")}.hooke`;
}

/**
 * The checkpoints in a folder, the newest first; none where there is no such folder. Whether they are whole is not
 * looked at.
 *
 * @param folder where a `CheckpointHook` has written them, as `step-000001000.hooke`
 * @throws {TypeError} where there is no file system
 * @throws {Error} when the file system refuses
 *
 * @example
 * ```ts
 * import { checkpointsIn, writeCheckpoint } from "@hooke/hooke/checkpoint";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * for (const step of [10, 20]) {
 *   const path = `${folder}/step-${String(step).padStart(9, "0")}.hooke`;
 *   await writeCheckpoint(path, { kind: "walk", schema: 1, data: { step } });
 * }
 * assertEquals((await checkpointsIn(folder)).map(({ step }) => step), [20, 10]);
 * ```
 */
export async function checkpointsIn(folder: string | URL): Promise<StepCheckpoint[]> {
  const path = await pathOf(folder);
  return (await namesIn(path)).flatMap((name) => {
    const step = NAME.exec(name)?.[1];
    return step === undefined ? [] : [{ path: `${path}/${name}`, step: Number(step) }];
  }).sort((a, b) => b.step - a.step);
}

/**
 * Loads the newest checkpoint in a folder that is whole. If one is damaged, or is a folder or a broken link of that
 * name, it loads the one before.
 *
 * @param folder as for {@linkcode checkpointsIn}
 * @param loader.load loads one; a SyntaxError says that it is damaged, and the codes `ENOENT`, `EISDIR` and `ELOOP` that
 * there is no file
 * @param loader.passedOver called for each that is not loaded
 * @returns what `load` answers with; `undefined` where there is none that is whole
 * @throws what else `load` throws
 *
 * @example
 * ```ts
 * import { loadLatest, readCheckpoint, writeCheckpoint } from "@hooke/hooke/checkpoint";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * await writeCheckpoint(`${folder}/step-000000010.hooke`, { kind: "walk", schema: 1, data: 10 });
 * await Deno.writeTextFile(`${folder}/step-000000020.hooke`, "half of i");
 * const damaged: string[] = [];
 * const content = await loadLatest(folder, {
 *   load: (path) => readCheckpoint(path),
 *   passedOver: (path) => void damaged.push(path),
 * });
 * assertEquals([content?.data, damaged.length], [10, 1]);
 * ```
 */
export async function loadLatest<T>(
  folder: string | URL,
  { load, passedOver }: {
    readonly load: (path: string) => Promise<T>;
    readonly passedOver?: (path: string, error: Error) => void;
  },
): Promise<T | undefined> {
  for (const { path } of await checkpointsIn(folder)) {
    try {
      return await load(path);
    } catch (error) {
      if (!isPassedOver(error)) throw error;
      passedOver?.(path, error);
    }
  }
  return undefined;
}

/** Returns whether an error of loading says that there is no whole checkpoint at that path. */
export function isPassedOver(error: unknown): error is Error {
  return error instanceof SyntaxError || NO_FILE.includes(codeOf(error));
}

/**
 * Makes the folder, locks it, and takes off what a kill has left of checkpoints there. A folder that cannot be made is
 * left to the first checkpoint, which says what is wrong with it.
 *
 * @throws {Error} with the code `"EBUSY"` if another run writes checkpoints there
 */
export async function holdFolder(path: string): Promise<PathLock> {
  await makeFolder(await filesFor(`write checkpoints to ${path}`), path).catch(() => {});
  const lock = lockPath(path);
  if (lock === undefined) throw busyError(path);
  await removeUnfinished(path).catch(() => {}); // they are never read
  return lock;
}

/**
 * Checks that a run may begin anew with its checkpoints in a folder. Those of an earlier run that came further would be
 * taken for the newest. Damaged ones do not count: nothing would go on from them.
 *
 * @throws {Error} with the code `"EBUSY"` if another run's are there
 */
export async function assertVacant(folder: string): Promise<void> {
  const known = await checkpointsIn(folder).catch(() => []); // the first checkpoint says what is wrong with the folder
  for (const { path, step } of known) {
    if (step === 0) continue;
    try {
      await readCheckpoint(path);
    } catch {
      continue;
    }
    const error = new Error(
      `Cannot begin a run with its checkpoints in ${folder}: it holds those of another run, up to step ${step}. ` +
        "Resume that run with loadLatest, remove them, or take another folder",
    );
    throw Object.assign(error, { code: "EBUSY" });
  }
}

async function removeUnfinished(path: string): Promise<void> {
  for (const name of await namesIn(path)) {
    if (UNFINISHED.test(name)) await removeIfThere(`${path}/${name}`);
  }
}

function busyError(path: string): Error {
  const error = new Error(
    `Cannot write checkpoints to ${path}: another run is writing its own there. Wait for it to end, or take ` +
      "another folder",
  );
  return Object.assign(error, { code: "EBUSY" });
}

/** Removes all checkpoints up to a step but the newest few; what is later is of another run, or damaged. */
export async function keepNewest(folder: string, step: number, keep: number): Promise<void> {
  const known = (await checkpointsIn(folder)).filter((one) => one.step <= step);
  for (const { path } of known.slice(keep)) {
    await removeIfThere(path).catch((error) => {
      if (!FOLDER.includes(codeOf(error))) throw error; // a folder of such a name is not a checkpoint
    });
  }
}

async function removeIfThere(path: string): Promise<void> {
  const { rm } = await filesFor(`remove ${path}`);
  await rm(path, { force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  const { readdir } = await filesFor(`read ${folder}`);
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** A folder as a path, without a slash at its end. */
export async function pathOf(folder: string | URL): Promise<string> {
  const path = typeof folder === "string"
    ? folder
    : (await import("node:url")).fileURLToPath(folder);
  return path.replace(/(.)\/+$/, "$1");
}

async function filesFor(action: string): Promise<typeof import("node:fs/promises")> {
  try {
    return await import("node:fs/promises");
  } catch (cause) {
    throw new TypeError(`Cannot ${action} as there must be a file system: current value is none`, {
      cause,
    });
  }
}
