/**
 * Access to SQLite databases through `node:sqlite`.
 *
 * @module
 */

import { refusal } from "../files/open_file.ts";
import { sqlite } from "../../platform/sqlite.ts";

/** Value of a cell of a table. */
export type Cell = null | number | bigint | string | Uint8Array;

/** Cells of a row by the names of their columns. */
export type Row = Readonly<Record<string, Cell>>;

/** A compiled statement. */
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
 * Map from number to text of the SQLite errors that do not mean that the file is damaged. Errors of `exec` have no
 * number and are recognized by these texts. All other errors mean that the file is damaged: the statements are known
 * to be valid, so the tables that they refer to are missing or not valid.
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

/** Number of the SQLite error for a file that is not a database. */
const NOT_A_DATABASE = 26;

/**
 * Opens an existing database. `node:sqlite` is loaded on first use, because web pages do not have it.
 *
 * @throws {TypeError} if the runtime has no SQLite
 * @throws {Error} if the database cannot be opened
 */
export function openDatabase(path: string): Database {
  let module: { readonly DatabaseSync: new (path: string) => Database };
  try {
    module = sqlite();
  } catch (cause) {
    throw new TypeError(`Cannot open ${path}: this runtime has no node:sqlite`, { cause });
  }
  try {
    const database = new module.DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 5000"); // another program may be writing
    return database;
  } catch (error) {
    throw databaseError(path, "open", error);
  }
}

/** Returns whether SQLite waited too long for another program. An error without a number is recognized by its text. */
export function isBusy(error: unknown): boolean {
  const { errcode, message } = error as { readonly errcode?: unknown; readonly message?: unknown };
  return errcode === 5 || message === "database is locked";
}

/**
 * Returns the error for a refusal by SQLite to `verb` the database: a SyntaxError if the file is damaged, otherwise
 * an error of the file system.
 */
export function databaseError(path: string, verb: string, cause: unknown): Error {
  if (!isOfTheFile(cause)) return refusal(path, verb, cause);
  const fault = numberOf(cause) === NOT_A_DATABASE
    ? "it is not an ASE database, or damaged"
    : "it is damaged";
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SyntaxError(
    `Cannot ${verb} ${path}: ${fault} (${reason})`,
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

/** Returns SQLite's number of an error without its extended code; `undefined` for errors without a number. */
function numberOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}
