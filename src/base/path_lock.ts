/**
 * Exclusive locks of files and folders.
 *
 * The operating system holds a lock as long as the process lives: a kill leaves nothing to clean up. The lock is on the
 * file or folder itself, not on a file beside it, so removing a file does not remove the lock.
 *
 * @module
 */

import { codeOf, refusal, removal } from "./file_refusal.ts";

/** A lock that is held until it is released, or the process ends. */
export interface PathLock {
  /**
   * Throws an error with the code `"ESTALE"` if the file or folder was removed since, or another is in its place.
   *
   * @param action the attempted action, as `Cannot write out.xyz`
   * @param what the locked thing, as `the folder`
   */
  assertThere(action: string, what: string): void;
  release(): void;
}

/** Functions of Deno that are used here. */
export interface LockHost {
  readonly build: { readonly os: string };
  openSync(
    path: string,
    options: { readonly read: true; readonly write?: boolean; readonly create?: boolean },
  ): { tryLockSync(exclusive: boolean): boolean; close(): void };
  statSync(path: string): { readonly dev: number; readonly ino: number | null };
}

/** The lock of runtimes other than Deno, and of file systems without locks: it locks nothing. */
const NONE: PathLock = { assertThere: () => {}, release: () => {} };

/** Files that this process has locked. Closing a second handle of a file would drop locks that SQLite has on it. */
const held = new Set<string>();

/** Error codes for a path at which nothing is: the code that opens it next reports that. */
const NOTHING: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];
/** Error codes of file systems without locks. Some network file systems refuse those of folders by `EBADF`. */
const NO_LOCKS: readonly unknown[] = [
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "ENOLCK",
  "EINVAL",
  "EBADF",
];

/**
 * Locks a file or folder. Returns `undefined` if another process, or another part of this one, has it. If there is
 * nothing at the path, or the file system has no locks, nothing is locked, as in runtimes other than Deno, whose locks
 * alone are used.
 *
 * @throws {Error} if the file system refuses for another reason, with its `code`: writing without the lock could
 * damage the file of another run
 */
export function lockPath(
  path: string,
  host: LockHost | undefined = denoHost(),
): PathLock | undefined {
  if (host?.openSync === undefined) return NONE;
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

/** Returns a text that a file or folder keeps as long as it exists. */
function idOf(host: LockHost, path: string): string {
  const { dev, ino } = host.statSync(path);
  return ino === null ? path : `${dev}:${ino}`;
}

function isAt(host: LockHost, path: string, id: string): boolean {
  try {
    return idOf(host, path) === id;
  } catch (error) {
    return !NOTHING.includes(codeOf(error)); // any other error is reported by the write that follows
  }
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

function denoHost(): LockHost | undefined {
  return (globalThis as { readonly Deno?: LockHost }).Deno;
}

/**
 * Locks a file or folder as `lockPath` does.
 *
 * @param action what the lock is for, as `Cannot open out.xyz`
 * @throws {Error} with the code `"EBUSY"` if another writer has it
 */
export function holdPath(path: string, action: string): PathLock {
  const lock = lockPath(path);
  if (lock !== undefined) return lock;
  const error = new Error(
    `${action}: another run or sink is writing to it. Wait until it has ended, or choose another path`,
  );
  throw Object.assign(error, { code: "EBUSY" });
}
