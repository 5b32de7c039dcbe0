/**
 * Checkpoints in files.
 *
 * @module
 */

import type { CheckpointContent, CheckpointExpectation } from "./content.ts";
import { decodeFrom } from "./decode.ts";
import { encodeCheckpoint } from "./encode.ts";
import { codeOf, type FileSystem, replaceFile } from "./replace_file.ts";

/**
 * Writes a checkpoint. At every moment, whatever happens to the process or the machine, the file is the old one or
 * the new one, whole. The state is taken when it is called: it may change while the file is written.
 *
 * It writes to a file beside (`….tmp`), flushes it to the disk, renames it, and flushes the folder. If that fails the
 * old file stays, and the one beside is removed; only a kill leaves it there, and nothing ever reads it. Of two
 * writes to one path, wait for the first before starting the second: whichever renames last wins.
 *
 * @param path where; its folder must exist, be readable, and take new files
 * @param content as for {@linkcode encodeCheckpoint}
 * @throws {TypeError} for what could not be restored, and where there is no file system
 * @throws {RangeError} for a `schema` that is no whole number from 0 on
 * @throws {Error} when the file system refuses, with its `code` (`"ENOSPC"`) and its error as `cause`
 *
 * @example
 * ```ts
 * import { readCheckpoint, writeCheckpoint } from "@hooke/hooke/checkpoint";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/run.hooke`;
 * const state = { stepCount: 1 };
 * const writing = writeCheckpoint(path, { kind: "walk", schema: 1, data: state });
 * state.stepCount = 2;
 * await writing;
 * assertEquals((await readCheckpoint(path)).data, { stepCount: 1 });
 * ```
 */
export async function writeCheckpoint(
  path: string | URL,
  content: CheckpointContent,
): Promise<void> {
  await writeWhole(path, encodeCheckpoint(content), "checkpoint"); // encoded before anything is waited for
}

/**
 * Writes a file that at every moment is the old one or the new one, whole, as {@linkcode writeCheckpoint} does.
 *
 * @param path where; its folder must exist, be readable, and take new files
 * @param bytes all of it; they must stay as they are until it is written
 * @param what what errors call it
 * @throws {TypeError} where there is no file system
 * @throws {Error} when the file system refuses, with its `code` (`"ENOSPC"`) and its error as `cause`
 *
 * @example
 * ```ts
 * import { writeWhole } from "@hooke/hooke/checkpoint";
 *
 * await writeWhole(`${await Deno.makeTempDir()}/trained.onnx`, Uint8Array.of(1, 2, 3), "model");
 * ```
 */
export async function writeWhole(
  path: string | URL,
  bytes: Uint8Array<ArrayBuffer>,
  what: string = "file",
): Promise<void> {
  const { files, toPath } = await openHost(`write ${what} ${path}`);
  const file = toPath(path);
  try {
    await replaceFile(files, file, bytes);
  } catch (error) {
    throw refusal(`Cannot write ${what} ${file} as the file system must take it`, error);
  }
}

/**
 * Reads a checkpoint, and checks every bit of it.
 *
 * @param path where
 * @param expected what the reader knows: its kind, and the newest schema
 * @throws {SyntaxError} for what is no checkpoint, or one that is truncated, too long, or damaged in any byte
 * @throws {RangeError} for a newer version of the container, and for a newer or older schema than expected
 * @throws {TypeError} for another kind than expected, and where there is no file system
 * @throws {Error} when the file system refuses, with its `code` (`"ENOENT"`) and its error as `cause`
 *
 * @example Begin anew if there is none
 * ```ts
 * import { readCheckpoint } from "@hooke/hooke/checkpoint";
 * import { assertEquals } from "@std/assert";
 *
 * const content = await readCheckpoint("no_such_run.hooke", { kind: "walk", schema: 1 })
 *   .catch((error) => {
 *     if (error.code === "ENOENT") return undefined;
 *     throw error;
 *   });
 * assertEquals(content, undefined);
 * ```
 */
export async function readCheckpoint(
  path: string | URL,
  expected: CheckpointExpectation = {},
): Promise<CheckpointContent> {
  const { files, toPath } = await openHost(`read checkpoint ${path}`);
  const file = toPath(path);
  let bytes: Uint8Array;
  try {
    bytes = await files.readFile(file);
  } catch (error) {
    throw refusal(`Cannot read checkpoint ${file} as it must be a file that can be read`, error);
  }
  return decodeFrom(`checkpoint ${file}`, bytes, expected);
}

interface Host {
  readonly files: FileSystem & { readFile(path: string): Promise<Uint8Array> };
  toPath(path: string | URL): string;
}

/** Loaded when it is used: a page, which loads the engines too, has no such modules. */
async function openHost(action: string): Promise<Host> {
  try {
    const [fs, { dirname, sep }, { fileURLToPath }] = await Promise.all([
      import("node:fs/promises"),
      import("node:path"),
      import("node:url"),
    ]);
    return {
      // Windows opens no folders, and its file systems do without.
      files: { ...fs, folderOf: (path) => sep === "\\" ? undefined : dirname(path) },
      toPath: (path) => typeof path === "string" ? path : fileURLToPath(path),
    };
  } catch (cause) {
    throw new TypeError(`Cannot ${action} as there must be a file system: current value is none`, {
      cause,
    });
  }
}

/** The error of a file system, with what it was about; callers tell it by its `code`. */
function refusal(message: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const code = codeOf(cause);
  const error = new Error(`${message}: ${reason}`, { cause });
  return code === undefined ? error : Object.assign(error, { code });
}
