/**
 * Checkpoints in files.
 *
 * @module
 */

import { type FolderSystem, makeFolder, parentOf } from "../base/durable_folder.ts";
import { codeOf, refusal } from "../base/file_refusal.ts";
import type { CheckpointContent, CheckpointExpectation } from "./content.ts";
import { decodeFrom } from "./decode.ts";
import { encodeCheckpoint } from "./encode.ts";
import { type FileSystem, replaceFile } from "./replace_file.ts";
import { builtin } from "../platform/process.ts";

/**
 * Writes a checkpoint atomically. If the process is killed or the machine fails at any moment, the file is either the
 * complete old one or the complete new one. The state is copied before the function returns, so it may change while
 * the file is written.
 *
 * The bytes go to a temporary file in the same folder (`….tmp`). It is flushed to the disk and renamed, and then the
 * folder is flushed. If a step before the rename fails, the old file stays and the temporary file is removed. A
 * killed process may leave the temporary file, which is never read. Await a write before starting another one to the
 * same path, because the last rename wins.
 *
 * @param path path of the file. Its folder is created if it does not exist; it must be readable and writable
 * @param content as for {@linkcode encodeCheckpoint}
 * @throws {TypeError} if a value cannot be restored, or the runtime has no file system
 * @throws {RangeError} if `schema` is not a non-negative integer
 * @throws {Error} if the file cannot be written, with the `code` of the file system (`"ENOSPC"`) and its error as
 * `cause`
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
  // Encode before the first await, so that the caller may change the state afterwards.
  await writeWhole(path, encodeCheckpoint(content), "checkpoint");
}

/**
 * Writes a file atomically, as {@linkcode writeCheckpoint} does: after a failure it is the complete old file or the
 * complete new one.
 *
 * @param path path of the file. Its folder is created if it does not exist; it must be readable and writable
 * @param bytes whole content of the file; do not change it until the promise settles
 * @param what name of the content in error messages
 * @throws {TypeError} if the runtime has no file system
 * @throws {Error} if the file cannot be written, with the `code` of the file system (`"ENOSPC"`) and its error as
 * `cause`
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
  try {
    await writeInFolder(path, bytes, what);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    const { files, toPath } = openHost(`write ${what} ${path}`);
    await makeFolderOf(files, toPath(path));
    await writeInFolder(path, bytes, what);
  }
}

/**
 * Writes a file as {@linkcode writeWhole} does, but does not create its folder.
 *
 * @param check called just before the file is replaced; if it throws, the old file stays
 * @throws {Error} with the code `"ENOENT"` if the folder does not exist
 */
export async function writeInFolder(
  path: string | URL,
  bytes: Uint8Array<ArrayBuffer>,
  what: string,
  check: () => void = () => {},
): Promise<void> {
  const { files, toPath } = openHost(`write ${what} ${path}`);
  const file = toPath(path);
  try {
    const rename = async (from: string, to: string) => {
      check();
      await files.rename(from, to);
    };
    await replaceFile({ ...files, rename }, file, bytes);
  } catch (error) {
    throw refusal(`Cannot write ${what} ${file}`, error);
  }
}

/**
 * Writes a file as {@linkcode writeWhole} does, unless a file of that name exists. Of several processes that write at the
 * same time, one creates the file. A file system without links replaces it.
 */
export async function writeOnce(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  what: string,
): Promise<void> {
  const { files, toPath } = openHost(`write ${what} ${path}`);
  const file = toPath(path);
  await makeFolderOf(files, file);
  const rename = async (from: string, to: string) => {
    try {
      await files.link(from, to); // fails if the name exists
    } catch (error) {
      const exists = await files.stat(to).then(() => true, () => false);
      if (!exists && codeOf(error) === "EEXIST") throw error;
      if (!exists) return await files.rename(from, to);
    }
    await files.unlink(from);
  };
  try {
    await replaceFile({ ...files, rename }, file, bytes);
  } catch (error) {
    throw refusal(`Cannot write ${what} ${file}`, error);
  }
}

async function makeFolderOf(files: Host["files"], path: string): Promise<void> {
  const folder = parentOf(path);
  try {
    await makeFolder(files, folder);
  } catch (error) {
    throw refusal(`Cannot make folder ${folder} for ${path}`, error);
  }
}

/**
 * Reads a checkpoint, and verifies its checksums.
 *
 * @param path path of the file
 * @param expected kind and schemas that the caller can restore
 * @throws {SyntaxError} if the file is not a checkpoint, or is truncated, too long or damaged
 * @throws {RangeError} if the version of the container is not supported, or the schema is newer or older than
 * expected
 * @throws {TypeError} if the kind differs from the expected one, or the runtime has no file system
 * @throws {Error} if the file cannot be read, with the `code` of the file system (`"ENOENT"`) and its error as
 * `cause`
 *
 * @example Start from scratch if the file does not exist
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
  const { files, toPath } = openHost(`read checkpoint ${path}`);
  const file = toPath(path);
  let bytes: Uint8Array;
  try {
    bytes = await files.readFile(file);
  } catch (error) {
    throw refusal(`Cannot read checkpoint ${file}`, error);
  }
  return decodeFrom(`checkpoint ${file}`, bytes, expected);
}

interface Host {
  readonly files: FileSystem & Pick<FolderSystem, "mkdir"> & {
    readFile(path: string): Promise<Uint8Array>;
    link(from: string, to: string): Promise<void>;
  };
  toPath(path: string | URL): string;
}

/** Returns the file system of this runtime. Throws a TypeError if the runtime has no file system, such as a web page. */
function openHost(action: string): Host {
  try {
    const fs = builtin("node:fs/promises");
    const { dirname, sep } = builtin("node:path"), { fileURLToPath } = builtin("node:url");
    return {
      // Windows cannot open folders, but its file systems keep a rename without a flush of the folder.
      files: { ...fs, folderOf: (path) => sep === "\\" ? undefined : dirname(path) },
      toPath: (path) => typeof path === "string" ? path : fileURLToPath(path),
    };
  } catch (cause) {
    throw new TypeError(`Cannot ${action}: this runtime has no file system`, {
      cause,
    });
  }
}
