/**
 * Exclusive locks of files and folders.
 *
 * The operating system holds a lock until the process ends, so a killed process leaves nothing to clean up. The lock
 * is on the file or folder itself and not on a second file, so removing a file does not remove the lock. Only
 * Windows has a second file, because locks there also block readers.
 *
 * @module
 */

import { findHost, type HostFile, type HostStat, type OpenOptions } from "../platform/host.ts";
import { codeOf, refusal, removal } from "./file_refusal.ts";

/** A lock that is held until it is released, or the process ends. */
export interface PathLock {
  /**
   * Throws an error with the code `"ESTALE"` if the file or folder was removed or replaced after it was locked.
   *
   * @param action the attempted action, for example `Cannot write out.xyz`
   * @param what the locked file or folder, for example `the folder`
   */
  assertThere(action: string, what: string): void;
  release(): void;
}

/** The functions of the host that this module uses. */
export interface LockHost {
  readonly build: { readonly os: string };
  openSync(path: string, options: OpenOptions): Pick<HostFile, "tryLockSync" | "close">;
  statSync(path: string): Pick<HostStat, "dev" | "ino">;
}

/** A lock that locks nothing, for web pages and for paths at which nothing exists. */
const NONE: PathLock = { assertThere: () => {}, release: () => {} };

/**
 * Ids of the files that this process has locked. They are not opened a second time, because closing a second handle
 * would drop the locks that SQLite has on a file.
 */
const held = new Set<string>();

/**
 * Error codes for a path at which no file or folder exists. Such a path is not locked, and the code that opens it
 * next reports the error.
 */
const NOTHING: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];
/** Error codes of file systems without locks. Some network file systems refuse to lock folders with `EBADF`. */
const NO_LOCKS: readonly unknown[] = [
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "ENOLCK",
  "EINVAL",
  "EBADF",
];

/**
 * Locks a file or folder. Returns `undefined` if another process, or other code in this process, holds the lock.
 *
 * The result locks nothing if no file or folder exists at the path, if the file system has no locks, or in a web page.
 * Locks of Deno and locks of Node do not exclude each other.
 *
 * @throws {Error} if the file system refuses for another reason; the error has its `code`. Writing without the lock
 * could damage the file of another run
 */
export function lockPath(
  path: string,
  host: LockHost | undefined = findHost(),
): PathLock | undefined {
  if (host === undefined) return NONE;
  let id: string;
  let file: ReturnType<LockHost["openSync"]>;
  try {
    id = idOf(host, path);
    if (held.has(id)) return undefined;
    file = openToLock(host, path);
  } catch (error) {
    if (NOTHING.includes(codeOf(error))) return NONE;
    throw refusal(`Cannot lock ${path}`, error);
  }
  const assertThere = (action: string, what: string) => {
    if (!isAt(host, path, id)) throw removal(action, what);
  };
  try {
    if (!file.tryLockSync(true)) {
      file.close();
      return undefined;
    }
  } catch (error) {
    file.close();
    if (NO_LOCKS.includes(codeOf(error))) return { ...NONE, assertThere };
    throw refusal(`Cannot lock ${path}`, error);
  }
  held.add(id);
  return {
    assertThere,
    release: () => {
      if (held.delete(id)) file.close();
    },
  };
}

/**
 * Returns an id that a file or folder keeps when it is renamed: its device and inode, or its path if there is no
 * inode.
 */
function idOf(host: LockHost, path: string): string {
  const { dev, ino } = host.statSync(path);
  return ino === null ? path : `${dev}:${ino}`;
}

function isAt(host: LockHost, path: string, id: string): boolean {
  try {
    return idOf(host, path) === id;
  } catch (error) {
    return !NOTHING.includes(codeOf(error)); // the next write reports any other error
  }
}

/**
 * Opens a path for a lock. Network file systems grant an exclusive lock only if the file is open for writing. A
 * folder cannot be opened for writing.
 */
function openToLock(host: LockHost, path: string): ReturnType<LockHost["openSync"]> {
  if (host.build.os === "windows") { // locks there block readers, so a second file is locked
    return host.openSync(`${path}.lock`, { read: true, write: true, create: true });
  }
  try {
    return host.openSync(path, { read: true, write: true });
  } catch {
    return host.openSync(path, { read: true });
  }
}

/**
 * Locks a file or folder as `lockPath` does, but throws if the lock is held elsewhere.
 *
 * @param action the action that needs the lock, for example `Cannot open out.xyz`
 * @throws {Error} with the code `"EBUSY"` if another run or sink holds the lock
 */
export function holdPath(path: string, action: string): PathLock {
  const lock = lockPath(path);
  if (lock !== undefined) return lock;
  const error = new Error(
    `${action}: another run or sink is writing to it. Wait until it has ended, or choose another path`,
  );
  throw Object.assign(error, { code: "EBUSY" });
}
