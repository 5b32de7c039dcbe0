/**
 * A file's new bytes in place of its old ones, whole or not at all, a power failure included.
 *
 * @module
 */

/** An open file, or folder. */
export interface OpenFile {
  writeFile(bytes: Uint8Array): Promise<void>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What is used of a file system. */
export interface FileSystem {
  open(path: string, flags: "r" | "wx", mode?: number): Promise<OpenFile>;
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<{ readonly mode: number }>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** The folder of a file, or `undefined` where folders cannot be opened. */
  folderOf(path: string): string | undefined;
}

/**
 * Writes beside the file, has the disk take it, renames it over the file, and has the disk take that, too. If one of
 * these fails, what was written beside is removed; before the renaming has worked the file is as it was. A link is
 * followed, and the permissions of a file that was there are kept.
 */
export async function replaceFile(
  files: FileSystem,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const target = await unlessMissing(files.realpath(path)) ?? path;
  const mode = (await unlessMissing(files.stat(target)))?.mode;
  const folder = files.folderOf(target);
  // First of all: who must not open the folder learns it before anything has happened.
  const open = folder === undefined ? undefined : await files.open(folder, "r");
  try {
    const beside = `${target}.${crypto.randomUUID()}.tmp`;
    await writeNew(files, beside, bytes, mode === undefined ? undefined : mode & 0o777);
    await orRemove(files, beside, files.rename(beside, target));
    if (open !== undefined) await syncFolder(open);
  } finally {
    await open?.close().catch(() => {}); // nothing was written through it
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
      if (mode !== undefined) await file.chmod(mode); // opening has taken off the process's mask
      await file.sync();
    } catch (error) {
      await file.close().catch(() => {}); // the first error says why
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
    await files.unlink(path).catch(() => {}); // the first error says why
    throw error;
  }
}

/** Some network file systems have no such thing for folders, and say so. */
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

/** The system's name for what went wrong, if it has one. */
export function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}
