/**
 * Databases in files, as the runtime has them: what is used of `node:sqlite`.
 *
 * @module
 */

import { refusal } from "../files/open_file.ts";

/** What a cell of a table holds. */
export type Cell = null | number | bigint | string | Uint8Array;

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Cell>>;

/** A statement that was compiled. */
export interface Statement {
  run(...values: Cell[]): { readonly lastInsertRowid: number | bigint };
  get(...values: Cell[]): Row | undefined;
  all(...values: Cell[]): Row[];
}

/** An open database. */
export interface Database {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/**
 * The errors for a file that is not a database (26), a damaged one (11), one whose tables or format SQLite cannot
 * understand (1), and one with numbers that ASE does not write.
 */
const FOREIGN: readonly unknown[] = [26, 11, 1, "ERR_OUT_OF_RANGE"];

/**
 * Opens a database that is there. The module is loaded when it is used: a page has no such module.
 *
 * @throws {TypeError} where there is no SQLite
 * @throws {Error} when it cannot be opened
 */
export async function openDatabase(path: string): Promise<Database> {
  let sqlite: { readonly DatabaseSync: new (path: string) => Database };
  try {
    sqlite = await import("node:sqlite");
  } catch (cause) {
    throw new TypeError(`Cannot open ${path} as there must be SQLite: there is none`, { cause });
  }
  try {
    const database = new sqlite.DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 5000"); // another program may be writing
    return database;
  } catch (error) {
    throw databaseError(path, "open", error);
  }
}

/** Whether SQLite had to wait for another program too long. Not every error has its number. */
export function isBusy(error: unknown): boolean {
  const { errcode, message } = error as { readonly errcode?: unknown; readonly message?: unknown };
  return errcode === 5 || message === "database is locked";
}

/** What a refusal of SQLite is: a bad file, or a file system that does not let it. */
export function databaseError(path: string, verb: string, cause: unknown): Error {
  const { errcode, code } = (cause ?? {}) as {
    readonly errcode?: unknown;
    readonly code?: unknown;
  };
  if (!FOREIGN.includes(errcode) && !FOREIGN.includes(code)) return refusal(path, verb, cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SyntaxError(
    `Cannot ${verb} ${path} as it must be an ASE database: it is not, or damaged; ${reason}`,
    { cause },
  );
}
