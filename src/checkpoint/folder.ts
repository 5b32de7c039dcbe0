/**
 * Folders of checkpoints. Each file is named by its number of finished steps.
 *
 * @module
 */

import { makeFolder } from "../base/durable_folder.ts";
import { codeOf, isRemoval, refusal, removal } from "../base/file_refusal.ts";
import { holdPath } from "../base/path_lock.ts";
import { writeInFolder } from "./file.ts";
import { builtin, type Builtins } from "../platform/process.ts";

const NAME = /^step-(\d+)\.hooke$/;
/** Matches the names of unfinished files, which a killed process leaves in the folder. */
const UNFINISHED = /^step-\d+\.hooke\.[-0-9a-f]{36}\.tmp$/;

/** Number of attempts to load a checkpoint while another run removes the ones that were just listed. */
const MOST_LISTINGS = 20;

/** Size of the file that tests whether a folder can be written. A full disk refuses a file of this size. */
const PROBE_BYTES = 4096;

/** Number of unreadable checkpoints that an error describes. */
const MOST_ERRORS = 3;

/**
 * Error codes for a path without a readable file: it does not exist, is a folder, or is a link that is broken or
 * refers to itself.
 */
const NO_FILE: readonly unknown[] = ["ENOENT", "EISDIR", "ELOOP"];
const FOLDER: readonly unknown[] = ["EISDIR", "ERR_FS_EISDIR", "EPERM"];

/** A checkpoint in a folder. */
export interface StepCheckpoint {
  /** Path of the checkpoint file. */
  readonly path: string;
  /** Number of finished steps. */
  readonly step: number;
}

/** Returns the name of the checkpoint file after `step` finished steps. */
export function stepName(step: number): string {
  return `step-${String(step).padStart(9, "0")}.hooke`;
}

/**
 * Lists the checkpoints in a folder, the newest first, without opening them. If the folder does not exist, the list
 * is empty.
 *
 * @param folder folder of a `CheckpointHook`, with files such as `step-000001000.hooke`
 * @throws {TypeError} if the runtime has no file system
 * @throws {Error} if the folder cannot be read
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
  const path = pathOf(folder);
  return (await namesIn(path)).flatMap((name) => {
    const step = NAME.exec(name)?.[1];
    return step === undefined ? [] : [{ path: `${path}/${name}`, step: Number(step) }];
  }).sort((a, b) => b.step - a.step);
}

/**
 * Loads the newest readable checkpoint in a folder. It passes over checkpoints that are damaged, and names that
 * belong to folders or broken links. If another run removes a checkpoint before it is read, the folder is listed
 * again.
 *
 * @param folder as for {@linkcode checkpointsIn}
 * @param loader.load loads one checkpoint. A SyntaxError means that it is damaged; an error with the code `ENOENT`,
 * `EISDIR` or `ELOOP` means that the file does not exist
 * @param loader.passedOver called after a checkpoint is loaded, once for each newer one that cannot be read
 * @returns result of `load`, or `undefined` if the folder has no checkpoints
 * @throws {Error} if the folder has checkpoints but all are unreadable, or if in twenty attempts another run removes
 * each checkpoint before it is read
 * @throws other errors of `load`
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
  const tried = new Map<string, Error>();
  for (let listing = 0; listing < MOST_LISTINGS; listing++) {
    const listed = (await checkpointsIn(folder)).filter(({ path }) => !tried.has(path));
    let hasVanished = false;
    for (const { path } of listed) {
      try {
        const loaded = await load(path);
        for (const [damaged, error] of tried) passedOver?.(damaged, error);
        return loaded;
      } catch (error) {
        if (!isPassedOver(error)) throw error;
        hasVanished = codeOf(error) === "ENOENT" && !await isThere(path);
        if (hasVanished) break; // Another run has removed this file since it was listed.
        tried.set(path, error);
      }
    }
    if (!hasVanished) return assertNone(pathOf(folder), [...tried.values()]);
  }
  // Do not return `undefined`: the caller would start from scratch although the folder has checkpoints.
  throw new Error(
    `Cannot load a checkpoint from ${
      pathOf(
        folder,
      )
    }: in ${MOST_LISTINGS} attempts, the newest checkpoint was removed ` +
      "before it was read. Wait for the end of the run that writes there, or let that run keep more checkpoints",
  );
}

/**
 * Returns `undefined` if `errors` is empty, which means that the folder has no checkpoints. Otherwise throws an
 * Error: if the caller started from scratch, the earlier run would be lost.
 */
function assertNone(folder: string, errors: readonly Error[]): undefined {
  if (errors.length === 0) return undefined;
  const words = errors.slice(0, MOST_ERRORS).map(({ message }) => message).join("; ");
  const count = errors.length === 1
    ? `The only checkpoint in ${folder} is unreadable`
    : `All ${errors.length} checkpoints in ${folder} are unreadable`;
  const more = errors.length > MOST_ERRORS ? "; …" : "";
  const remove = `To begin a new run, remove ${errors.length === 1 ? "it" : "them"}`;
  throw new Error(`${count}: ${words}${more}. ${remove}`, { cause: errors[0] });
}

/**
 * Returns the warning about an unreadable checkpoint. The text quotes `error`, and names the checkpoint `used` from
 * which the run continues.
 */
export function passedOverWarning(error: Error, used: string): Error {
  return new Error(`${error.message}. The run continues from ${used} instead`, { cause: error });
}

/** Returns whether a path exists, even as a broken link. */
async function isThere(path: string): Promise<boolean> {
  const { lstat } = filesFor(`read ${path}`);
  return await lstat(path).then(() => true, (error) => codeOf(error) !== "ENOENT");
}

/** Returns whether an error of `load` means that the file is damaged or is not a file. */
function isPassedOver(error: unknown): error is Error {
  return error instanceof SyntaxError || NO_FILE.includes(codeOf(error));
}

/** A folder that is locked for the checkpoints of one run. */
export interface HeldFolder {
  /** Throws an error with the code `"ESTALE"` if the folder was removed or replaced after it was locked. */
  assertThere(): void;
  /** Writes a checkpoint to the folder. Throws as `assertThere` does, because a removed folder is not created again. */
  write(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Releases the lock of the folder. */
  release(): void;
}

/**
 * Creates a folder and locks it for one run. Removes unfinished checkpoints, and checks that files can be written.
 *
 * @throws {Error} with the code `"EBUSY"` if another run writes checkpoints there, or with another code if the file
 * system refuses
 */
export async function holdFolder(path: string): Promise<HeldFolder> {
  const action = `Cannot write checkpoints to ${path}`, what = "the folder";
  const files = filesFor(`write checkpoints to ${path}`);
  const refuse = (error: unknown) => {
    throw refusal(action, error);
  };
  await makeFolder(files, path).catch(refuse);
  const lock = holdPath(path, action);
  try {
    await removeUnfinished(path).catch(() => {}); // Nothing reads unfinished checkpoints.
    await assertWritable(path).catch(refuse);
  } catch (error) {
    lock.release();
    throw error;
  }
  const assertThere = () => lock.assertThere(action, what);
  return {
    assertThere,
    async write(path, bytes) {
      assertThere();
      await writeInFolder(path, bytes, "checkpoint", assertThere).catch((error) => {
        const isGone = codeOf(error) === "ENOENT" || isRemoval(error);
        throw isGone ? removal(action, what) : error;
      });
    },
    release: () => lock.release(),
  };
}

/** Writes a file and removes it. A folder without write permission is thus reported before the first step. */
async function assertWritable(path: string): Promise<void> {
  const { writeFile } = filesFor(`write checkpoints to ${path}`);
  const probe = `${path}/${stepName(0)}.${crypto.randomUUID()}.tmp`;
  try {
    await writeFile(probe, new Uint8Array(PROBE_BYTES));
  } finally {
    await removeIfThere(probe).catch(() => {}); // The next run removes the file.
  }
}

/**
 * Checks that a folder has no checkpoints of another run. If the other run came further, its checkpoints would later
 * be mistaken for the newest of this run. Damaged checkpoints count, too, because only the user can decide to give up
 * the other run.
 *
 * @throws {Error} with the code `"EBUSY"` if the folder has a checkpoint after step 0
 */
export async function assertVacant(folder: string): Promise<void> {
  const [newest] = await checkpointsIn(folder);
  if (newest === undefined || newest.step === 0) return;
  const error = new Error(
    `Cannot begin a run with its checkpoints in ${folder}: the folder holds checkpoints of another run, up to step ${newest.step}. ` +
      "Resume that run with resume() of a run folder or with loadLatest(), remove its checkpoints, or use another folder",
  );
  throw Object.assign(error, { code: "EBUSY" });
}

async function removeUnfinished(path: string): Promise<void> {
  for (const name of await namesIn(path)) {
    if (UNFINISHED.test(name)) await removeIfThere(`${path}/${name}`);
  }
}

/**
 * Removes all checkpoints up to step `step`, except the newest `keep` of them. Later checkpoints belong to another
 * run or are damaged, and are kept.
 */
export async function keepNewest(folder: string, step: number, keep: number): Promise<void> {
  const known = (await checkpointsIn(folder)).filter((one) => one.step <= step);
  for (const { path } of known.slice(keep)) {
    await removeIfThere(path).catch((error) => {
      if (!FOLDER.includes(codeOf(error))) throw error; // A folder with such a name is not a checkpoint.
    });
  }
}

async function removeIfThere(path: string): Promise<void> {
  const { rm } = filesFor(`remove ${path}`);
  await rm(path, { force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  const { readdir } = filesFor(`read ${folder}`);
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Returns the path of a folder, without a slash at its end. */
export function pathOf(folder: string | URL): string {
  const path = typeof folder === "string" ? folder : builtin("node:url").fileURLToPath(folder);
  return path.replace(/(.)\/+$/, "$1");
}

function filesFor(action: string): Builtins["node:fs/promises"] {
  try {
    return builtin("node:fs/promises");
  } catch (cause) {
    throw new TypeError(`Cannot ${action}: this runtime has no file system`, {
      cause,
    });
  }
}
