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
 * SQLite's errors that do not say anything about the file, by number and text: an error of `exec` has no number. All
 * others are those of a damaged file, because the statements themselves are known to be right: what they refer to is
 * missing, or is not what it must be.
 */
const NOT_OF_THE_FILE: ReadonlyMap<number, string> = new Map([
  [3, "access permission denied"],
  [5, "database is locked"],
  [6, "database table is locked"],
  [7, "out of memory"],
  [8, "attempt to write a readonly database"],
  [9, "interrupted"],
  [10, "disk I/O error"],
  [13, "database or disk is full"],
  [14, "unable to open database file"],
  [15, "locking protocol"],
  [18, "string or blob too big"],
  [21, "bad parameter or other API misuse"],
]);

/** The number for a file that is not a database at all. */
const NOT_A_DATABASE = 26;

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
    throw new TypeError(`Cannot open ${path}: there must be SQLite: there is none`, { cause });
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

/** Returns the error for what SQLite refused: a SyntaxError if the file is damaged, else that of the file system. */
export function databaseError(path: string, verb: string, cause: unknown): Error {
  if (!isOfTheFile(cause)) return refusal(path, verb, cause);
  const fault = numberOf(cause) === NOT_A_DATABASE ? "it is not, or damaged" : "it is damaged";
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SyntaxError(
    `Cannot ${verb} ${path}: it must be an ASE database: ${fault}; ${reason}`,
    { cause },
  );
}

/** Returns whether an error says that the file is damaged, or is not a database. */
function isOfTheFile(error: unknown): boolean {
  const { code, message } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  if (code === "ERR_OUT_OF_RANGE") return true; // a number that ASE does not write
  const number = numberOf(error);
  if (number !== undefined) return !NOT_OF_THE_FILE.has(number);
  if (code !== "ERR_SQLITE_ERROR") return false;
  return !NOT_OF_THE_FILE.values().some((text) => text === message);
}

/** Returns SQLite's number of an error, without that of the special case; not every error has one. */
function numberOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}
