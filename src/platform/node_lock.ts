/**
 * Locks for Node, which has no function that locks files.
 *
 * SQLite locks its database by the operating system during an exclusive transaction, until the process ends. So each
 * locked file or folder has an empty database in a folder of the machine, named after its device and inode. The folder
 * is in `/tmp` whatever TMPDIR is, because each job of a cluster may have a TMPDIR of its own. Processes on other
 * machines, and those of other users, have other databases.
 *
 * @module
 */

import { builtin, findProcess } from "./process.ts";
import { sqlite } from "./sqlite.ts";

/** The error number of SQLite for a database that another connection has locked. */
const BUSY = 5;

/**
 * Locks the file or folder with this device and inode. Returns `undefined` if another process that runs in Node has
 * the lock.
 *
 * @throws {TypeError} if the runtime has no `node:sqlite`
 */
export function lockByDatabase(
  { dev, ino }: { readonly dev: number | bigint; readonly ino: number | bigint },
): { release(): void } | undefined {
  const { mkdirSync } = builtin("node:fs"), user = findProcess()?.getuid?.();
  // Windows has a folder for temporary files per user, and no id.
  const folder = user === undefined
    ? `${builtin("node:os").tmpdir()}/hooke-locks`
    : `/tmp/hooke-locks-${user}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { DatabaseSync } = sqlite();
  const database = new DatabaseSync(`${folder}/${dev}-${ino}.lock`);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { readonly errcode?: unknown }).errcode === BUSY) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}
