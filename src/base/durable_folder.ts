/**
 * Folders whose entries survive a power failure. A new or renamed file survives it only if its folder was synced to
 * the disk, too.
 *
 * @module
 */

/** The functions of `node:fs/promises` that this module uses. */
export interface FolderSystem {
  open(path: string, flags: "r"): Promise<{ sync(): Promise<void>; close(): Promise<void> }>;
  mkdir(path: string, options: { readonly recursive: true }): Promise<string | undefined>;
}

/**
 * Error codes of operating systems and network file systems that cannot open or sync folders. `syncFolder` ignores
 * them.
 */
const UNABLE: readonly unknown[] = ["EINVAL", "ENOTSUP", "EISDIR", "EPERM", "EACCES", "EBADF"];

/** Syncs the entries of a folder to the disk. Does nothing if the file system cannot sync folders. */
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
    // Deno throws `NotCapable` if the process may use the file, but not its folder. The folder is then not synced.
    if (!UNABLE.includes(code) && name !== "NotCapable") throw error;
  }
}

/** Creates a folder and its missing parents, and syncs their entries to the disk. */
export async function makeFolder(fs: FolderSystem, path: string): Promise<void> {
  const first = await fs.mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path;; made = parentOf(made)) {
    await syncFolder(fs, parentOf(made));
    if (made.length <= first.length) return;
  }
}

/** Returns the path of the folder that contains a file or folder. */
export function parentOf(path: string): string {
  const at = path.replace(/(.)[/\\]+$/, "$1").search(/[/\\][^/\\]*$/);
  return at === -1 ? "." : path.slice(0, Math.max(at, 1));
}
