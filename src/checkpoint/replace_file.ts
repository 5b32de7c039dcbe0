/**
 * Atomic replacement of files, which is safe against a power failure.
 *
 * @module
 */

import { codeOf } from "../base/file_refusal.ts";

/** An open file or folder. */
export interface OpenFile {
  writeFile(bytes: Uint8Array): Promise<void>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The functions of a file system that this module uses. */
export interface FileSystem {
  open(path: string, flags: "r" | "wx", mode?: number): Promise<OpenFile>;
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<{ readonly mode: number }>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Returns the path of a file's folder, or `undefined` if the system cannot open folders. */
  folderOf(path: string): string | undefined;
}

/**
 * Replaces a file: writes a temporary file, flushes it, renames it to `path`, and flushes the folder. If a step
 * before the rename fails, the temporary file is removed and the old file stays. Links are followed, and an existing
 * file keeps its permissions.
 */
export async function replaceFile(
  files: FileSystem,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const target = await unlessMissing(files.realpath(path)) ?? path;
  const mode = (await unlessMissing(files.stat(target)))?.mode;
  const folder = files.folderOf(target);
  // The folder is opened first, so that a missing permission is reported before anything has changed.
  const open = folder === undefined ? undefined : await files.open(folder, "r");
  try {
    const beside = `${target}.${crypto.randomUUID()}.tmp`;
    await writeNew(files, beside, bytes, mode === undefined ? undefined : mode & 0o777);
    await orRemove(files, beside, files.rename(beside, target));
    if (open !== undefined) await syncFolder(open);
  } finally {
    await open?.close().catch(() => {}); // Nothing was written through this handle, so closing it cannot lose data.
  }
}

async function writeNew(
  files: FileSystem,
  path: string,
  bytes: Uint8Array,
  mode: number | undefined,
): Promise<void> {
  const file = await files.open(path, "wx", mode);
  const write = async () => {
    try {
      await file.writeFile(bytes);
      if (mode !== undefined) await file.chmod(mode); // The umask of the process has changed the mode.
      await file.sync();
    } catch (error) {
      await file.close().catch(() => {}); // The first error is reported, because it names the cause.
      throw error;
    }
    await file.close();
  };
  await orRemove(files, path, write());
}

async function orRemove(files: FileSystem, path: string, doing: Promise<void>): Promise<void> {
  try {
    await doing;
  } catch (error) {
    await files.unlink(path).catch(() => {}); // The first error is reported, because it names the cause.
    throw error;
  }
}

/** Flushes a folder to the disk. Ignores the error of network file systems that cannot do this. */
async function syncFolder(folder: OpenFile): Promise<void> {
  try {
    await folder.sync();
  } catch (error) {
    if (!["EINVAL", "ENOTSUP"].includes(String(codeOf(error)))) throw error;
  }
}

async function unlessMissing<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
