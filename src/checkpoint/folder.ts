/**
 * Checkpoints in a folder, each named by the steps that were done.
 *
 * @module
 */

import { codeOf } from "./replace_file.ts";

const NAME = /^step-(\d+)\.hooke$/;
/** What a kill leaves of one that was being written. */
const UNFINISHED = /^step-\d+\.hooke\.[-0-9a-f]{36}\.tmp$/;

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
 * Loads the newest checkpoint in a folder that is whole: where one is damaged, or half of it is there, the one before.
 *
 * @param folder as for {@linkcode checkpointsIn}
 * @param loader.load loads one; a SyntaxError says that it is damaged
 * @param loader.passedOver told of each that is
 * @returns what `load` answers with; `undefined` where there is none that is whole
 * @throws what `load` throws, but for a SyntaxError
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
    readonly passedOver?: (path: string, error: SyntaxError) => void;
  },
): Promise<T | undefined> {
  for (const { path } of await checkpointsIn(folder)) {
    try {
      return await load(path);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      passedOver?.(path, error);
    }
  }
  return undefined;
}

/** Makes the folder, and takes off what a kill has left of checkpoints there. */
export async function openFolder(folder: string | URL): Promise<void> {
  const { mkdir } = await filesFor(`write checkpoints to ${folder}`);
  const path = await pathOf(folder);
  await mkdir(path, { recursive: true });
  for (const name of await namesIn(path)) {
    if (UNFINISHED.test(name)) await removeIfThere(`${path}/${name}`);
  }
}

/** Removes all checkpoints up to a step but the newest few; what is later is of another run, or damaged. */
export async function keepNewest(folder: string, step: number, keep: number): Promise<void> {
  const known = (await checkpointsIn(folder)).filter((one) => one.step <= step);
  for (const { path } of known.slice(keep)) await removeIfThere(path);
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
