/**
 * Files as sinks use them, and the errors of their file system.
 *
 * @module
 */

import { type FolderSystem, makeFolder, parentOf, syncFolder } from "../../base/durable_folder.ts";
import { codeOf, refusal as refusalOf, removal } from "../../base/file_refusal.ts";
import { holdPath, type PathLock } from "../../base/path_lock.ts";
import { builtin } from "../../platform/process.ts";

export { codeOf };

/** Properties of an open file. */
export interface FileStat {
  readonly size: number;
  readonly mtimeMs: number;
  /** Number of hard links to the file; 0 once the file was removed, and on systems that do not count links. */
  readonly nlink: number;
  isFile(): boolean;
}

/** An open file. */
export interface OpenFile {
  stat(): Promise<FileStat>;
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  write(bytes: Uint8Array, offset: number): Promise<{ readonly bytesWritten: number }>;
  truncate(size: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file: `"r"` to read it, `"a+"` to read it and append to it, `"ax"` to append to a new file. With `"a+"` and
 * `"ax"` the file and its folder are created if they do not exist. `node:fs/promises` is loaded on first use because
 * a web page does not have it.
 *
 * @throws {TypeError} if there is no file system
 * @throws {Error} if the file system refuses
 */
export async function openFile(
  path: string | URL,
  flags: "r" | "a+" | "ax",
): Promise<OpenFile> {
  let fs: FolderSystem & { open(path: string | URL, flags: string): Promise<OpenFile> };
  try {
    fs = builtin("node:fs/promises") as unknown as typeof fs;
  } catch (cause) {
    throw new TypeError(`Cannot open ${path}: there is no file system, as in a web page`, {
      cause,
    });
  }
  try {
    return await fs.open(path, flags);
  } catch (error) {
    if (flags === "r" || codeOf(error) !== "ENOENT") throw refusal(path, "open", error);
  }
  await makeFolderOf(fs, path);
  try {
    return await fs.open(path, flags);
  } catch (error) {
    throw refusal(path, "open", error);
  }
}

async function makeFolderOf(fs: FolderSystem, path: string | URL): Promise<void> {
  const folder = parentOf(pathOf(path));
  try {
    await makeFolder(fs, folder);
  } catch (error) {
    throw refusalOf(`Cannot make folder ${folder} for ${path}`, error);
  }
}

/** Returns a path or a `file:` URL as a path of this system. */
function pathOf(path: string | URL): string {
  return typeof path === "string" ? path : builtin("node:url").fileURLToPath(path);
}

/**
 * Opens a file to read it and append to it, and returns the result of `prepare`. Other writers cannot open the file
 * until it is closed. If `prepare` throws, the file is closed again.
 *
 * @throws {Error} with the code `"EBUSY"` if another writer has it open
 * @throws the errors of `openFile` and `prepare`
 */
export async function openPrepared<T>(
  path: string | URL,
  prepare: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = await openLocked(path);
  try {
    if ((await file.stat()).size === 0) await syncEntry(path); // the file may be new
    return await prepare(file);
  } catch (error) {
    await file.close().catch(() => {}); // the first error is the cause
    throw error;
  }
}

/** Returns whether nothing exists at a path; `false` if that cannot be determined. */
export async function isMissing(path: string): Promise<boolean> {
  try {
    const { lstat } = builtin("node:fs/promises");
    await lstat(path);
  } catch (error) {
    return codeOf(error) === "ENOENT";
  }
  return false;
}

/** Syncs the entry of a file in its folder to the disk. */
async function syncEntry(path: string | URL): Promise<void> {
  await syncFolder(builtin("node:fs/promises"), parentOf(pathOf(path)));
}

/** Opens a file to read it and append to it, and locks it until it is closed. */
async function openLocked(path: string | URL): Promise<OpenFile> {
  const file = await openFile(path, "a+");
  let lock: PathLock;
  try {
    lock = holdPath(pathOf(path), `Cannot open ${path}`);
  } catch (error) {
    await file.close().catch(() => {}); // nothing was written
    throw error;
  }
  const hasName = (await file.stat()).nlink > 0;
  /** True if it was reported that the file is gone, and nothing was written since: closing need not report it again. */
  let isReported = false;
  return {
    stat: () => file.stat(),
    read: (...place) => file.read(...place),
    write: (bytes, offset) => {
      isReported = false;
      return file.write(bytes, offset);
    },
    truncate: (size) => file.truncate(size),
    datasync: async () => {
      await file.datasync();
      if (!isReported && hasName && (await file.stat()).nlink === 0) {
        isReported = true;
        throw removal(`Cannot write to ${path}`, "it");
      }
    },
    close: async () => {
      try {
        await file.close();
      } finally {
        lock.release();
      }
    },
  };
}

/** Returns the error for a refusal by the file system, with its `code`. `verb` completes "Cannot …" in the message. */
export function refusal(path: string | URL, verb: string, cause: unknown): Error {
  return refusalOf(`Cannot ${verb} ${path}`, cause);
}

/** Returns up to `length` bytes from a position; fewer at the end of the file. */
export async function readAt(
  file: Pick<OpenFile, "read">,
  from: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** Syncs a file to the disk. Throws if the system refuses, except for devices that store nothing (EINVAL). */
export async function syncFile(
  file: Pick<OpenFile, "datasync">,
  path: string | URL,
): Promise<void> {
  try {
    await file.datasync();
  } catch (error) {
    if (codeOf(error) !== "EINVAL") throw refusal(path, "write to", error);
  }
}
