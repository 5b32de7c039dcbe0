/**
 * Locks for Node, which cannot lock files by itself.
 *
 * SQLite can: an exclusive transaction locks its database by the operating system, until the process ends. So each
 * locked file or folder has an empty database in the folder for temporary files, named after its device and inode.
 *
 * @module
 */

import { builtin } from "./process.ts";

/** The error number of SQLite for a database that another connection has locked. */
const BUSY = 5;

/**
 * Locks a file or folder, which is named by its device and inode. Returns `undefined` if another process of Node
 * has the lock.
 *
 * @throws {TypeError} if the runtime has no `node:sqlite`
 */
export function lockByDatabase(
  { dev, ino }: { readonly dev: number; readonly ino: number },
): { release(): void } | undefined {
  const { mkdirSync } = builtin("node:fs"), { tmpdir, userInfo } = builtin("node:os");
  const folder = `${tmpdir()}/hooke-locks-${userInfo().uid}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new (builtin("node:sqlite").DatabaseSync)(`${folder}/${dev}-${ino}.lock`);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { readonly errcode?: unknown }).errcode === BUSY) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}
