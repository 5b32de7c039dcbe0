/**
 * Locks of files and folders in Node, which has no function for them.
 *
 * SQLite has one: an exclusive transaction locks its database through the operating system until the process ends.
 * Each locked file or folder therefore has an empty database in the folder for temporary files, named after its
 * device and inode.
 *
 * @module
 */

import { builtin } from "./process.ts";

/** The error number of SQLite for a database that another connection has locked. */
const BUSY = 5;

/**
 * Locks the file or folder with this device and inode. Returns `undefined` if another process that runs in Node has
 * the lock.
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
