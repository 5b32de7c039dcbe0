/**
 * Exclusive locks of files and folders.
 *
 * The operating system holds a lock as long as the process lives: a kill leaves nothing to clean up. The lock is on the
 * file or folder itself, not on a file beside it, so removing a file does not remove the lock.
 *
 * @module
 */

/** A lock that is held until it is released, or the process ends. */
export interface PathLock {
  release(): void;
}

/** Functions of Deno that are used here. */
interface LockHost {
  readonly build: { readonly os: string };
  openSync(
    path: string,
    options: { readonly read: true; readonly write?: boolean; readonly create?: boolean },
  ): { tryLockSync(exclusive: boolean): boolean; close(): void };
  statSync(path: string): { readonly dev: number; readonly ino: number | null };
}

/** The lock of runtimes other than Deno, and of file systems without locks: it locks nothing. */
const NONE: PathLock = { release: () => {} };

/** Files that this process has locked. Closing a second handle of a file would drop locks that SQLite has on it. */
const held = new Set<string>();

/**
 * Locks a file or folder that is there. Returns `undefined` if another process, or another part of this one, has it.
 * Locks of Deno alone are known; elsewhere, and where the file system has no locks, nothing is locked.
 */
export function lockPath(path: string | URL): PathLock | undefined {
  const { Deno: host } = globalThis as { readonly Deno?: LockHost };
  if (host?.openSync === undefined) return NONE;
  const place = pathOf(path);
  let id: string;
  let file: ReturnType<LockHost["openSync"]>;
  try {
    const { dev, ino } = host.statSync(place);
    id = ino === null ? place : `${dev}:${ino}`;
    if (held.has(id)) return undefined;
    file = openToLock(host, place);
  } catch {
    return NONE; // the code that opens it next reports what is wrong with it
  }
  try {
    if (!file.tryLockSync(true)) {
      file.close();
      return undefined;
    }
  } catch {
    file.close(); // some network file systems have no locks
    return NONE;
  }
  held.add(id);
  return {
    release: () => {
      if (held.delete(id)) file.close();
    },
  };
}

/** A file is opened to be written, as network file systems want it for an exclusive lock; a folder cannot be. */
function openToLock(host: LockHost, path: string): ReturnType<LockHost["openSync"]> {
  if (host.build.os === "windows") { // locks there keep readers out, so a file beside it has the lock
    return host.openSync(`${path}.lock`, { read: true, write: true, create: true });
  }
  try {
    return host.openSync(path, { read: true, write: true });
  } catch {
    return host.openSync(path, { read: true });
  }
}

function pathOf(path: string | URL): string {
  return typeof path === "string" ? path : decodeURIComponent(path.pathname);
}
