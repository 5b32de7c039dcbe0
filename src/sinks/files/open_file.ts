/**
 * Files as sinks use them, and what is said where the file system refuses.
 *
 * @module
 */

import { parentOf, syncFolder } from "../../base/durable_folder.ts";
import { lockPath } from "../../base/path_lock.ts";

/** An open file. */
export interface OpenFile {
  stat(): Promise<{ readonly size: number; readonly mtimeMs: number; isFile(): boolean }>;
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
 * Opens a file: to read it, to read it and add to it, and then it is made where it is missing, or to add to a new one.
 * The module is loaded when it is used, as a page has no such module.
 *
 * @throws {TypeError} where there is no file system
 * @throws {Error} when it refuses
 */
export async function openFile(
  path: string | URL,
  flags: "r" | "a+" | "ax",
): Promise<OpenFile> {
  let fs: { open(path: string | URL, flags: string): Promise<OpenFile> };
  try {
    fs = await import("node:fs/promises");
  } catch (cause) {
    throw new TypeError(`Cannot open ${path} as there must be a file system: there is none`, {
      cause,
    });
  }
  try {
    return await fs.open(path, flags);
  } catch (error) {
    throw refusal(path, "open", error);
  }
}

/**
 * Opens a file to read it and add to it, and returns what `prepare` makes of it. No other writer can open it until it is
 * closed. If preparing fails, the file is closed again.
 *
 * @throws {Error} with the code `"EBUSY"` if another writer has it open
 * @throws what `openFile` and `prepare` throw
 */
export async function openPrepared<T>(
  path: string | URL,
  prepare: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = await openLocked(path);
  try {
    if ((await file.stat()).size === 0) await syncEntry(path); // it may be new
    return await prepare(file);
  } catch (error) {
    await file.close().catch(() => {}); // the first error says why
    throw error;
  }
}

/** Syncs the entry of a file in its folder to the disk. */
async function syncEntry(path: string | URL): Promise<void> {
  const [fs, { fileURLToPath }] = await Promise.all([
    import("node:fs/promises"),
    import("node:url"),
  ]);
  await syncFolder(fs, parentOf(typeof path === "string" ? path : fileURLToPath(path)));
}

/** Opens a file to read it and add to it, and locks it until it is closed. */
async function openLocked(path: string | URL): Promise<OpenFile> {
  const file = await openFile(path, "a+");
  const lock = lockPath(path);
  if (lock === undefined) {
    await file.close().catch(() => {}); // nothing was written
    throw busyError(path);
  }
  return {
    stat: () => file.stat(),
    read: (...place) => file.read(...place),
    write: (bytes, offset) => file.write(bytes, offset),
    truncate: (size) => file.truncate(size),
    datasync: () => file.datasync(),
    close: async () => {
      try {
        await file.close();
      } finally {
        lock.release();
      }
    },
  };
}

/** Returns the error for a file or folder that another writer has. */
export function busyError(path: string | URL): Error {
  const error = new Error(
    `Cannot open ${path}: another run or sink is writing to it. Wait for it or close it, or write to another file`,
  );
  return Object.assign(error, { code: "EBUSY" });
}

/** The error for what the file system refuses, with the system's `code`. */
export function refusal(path: string | URL, verb: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const error = new Error(
    `Cannot ${verb} ${path} as the file system must let it: ${reason}`,
    { cause },
  );
  const code = codeOf(cause);
  return code === undefined ? error : Object.assign(error, { code });
}

/** The system's name for what went wrong, if it has one. */
export function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

/** So many bytes from there on, or those there are. */
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

/** Has the disk take what was written. Throws when it refuses; a device that keeps nothing has nothing to take. */
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
