/**
 * Folders whose entries the disk keeps: a new or renamed file is found after a power failure only if its folder was
 * synced, too.
 *
 * @module
 */

/** Functions of `node:fs/promises` that are used here. */
export interface FolderSystem {
  open(path: string, flags: "r"): Promise<{ sync(): Promise<void>; close(): Promise<void> }>;
  mkdir(path: string, options: { readonly recursive: true }): Promise<string | undefined>;
}

/** Error codes of systems and network file systems that cannot open or sync folders. Folders are not synced there. */
const UNABLE: readonly unknown[] = ["EINVAL", "ENOTSUP", "EISDIR", "EPERM", "EACCES", "EBADF"];

/** Syncs the entries of a folder to the disk. */
export async function syncFolder(fs: Pick<FolderSystem, "open">, path: string): Promise<void> {
  try {
    const folder = await fs.open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
    // A process that may only use the file itself does without, too.
    if (!UNABLE.includes(code) && name !== "NotCapable") throw error;
  }
}

/** Makes a folder and its parents if they do not exist, and syncs their entries to the disk. */
export async function makeFolder(fs: FolderSystem, path: string): Promise<void> {
  const first = await fs.mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path;; made = parentOf(made)) {
    await syncFolder(fs, parentOf(made));
    if (made.length <= first.length) return;
  }
}

/** Returns the folder that a file or folder is in. */
export function parentOf(path: string): string {
  const at = path.replace(/(.)[/\\]+$/, "$1").search(/[/\\][^/\\]*$/);
  return at === -1 ? "." : path.slice(0, Math.max(at, 1));
}
