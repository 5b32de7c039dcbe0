/**
 * Systems in an ASE database.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import { HeldPath } from "../files/held_path.ts";
import { codeOf, type OpenFile, openFile } from "../files/open_file.ts";
import type { CheckedPart } from "../damage.ts";
import type { Slice } from "../sink.ts";
import type { FrameStore } from "../files/frame_store.ts";
import {
  type Cell,
  type Database,
  databaseError,
  isBusy,
  openDatabase,
  type Row,
} from "./database.ts";
import { systemOfRow } from "./read_row.ts";
import {
  checkRows,
  noteForeignRows,
  noteOwnRows,
  prepareSums,
  sumOfRow,
  SUMS,
} from "./row_sums.ts";
import { hasTables, prepareTables, SYSTEM_COLUMNS, TABLES } from "./schema.ts";
import { selectsByStamp } from "../slice.ts";
import { selectIds } from "./select.ts";
import { type AseRow, rowOf } from "./write_row.ts";

/** Number of systems after which a transaction is committed, so that other programs do not wait long. */
const LARGEST_TRANSACTION = 256;

const SECONDS_TO_2000 = 946681200;
const SECONDS_PER_YEAR = 31557600;

/**
 * A database of systems. Each batch is inserted entirely or not at all. Other programs see it once the transaction is
 * committed: by the next `sync`, or when the transaction has 256 systems.
 */
export class AseStore implements FrameStore {
  readonly #path: string;
  readonly #username: string | null;
  readonly #held: HeldPath;
  #database: Database | undefined;
  #insert: ((row: AseRow) => void) | undefined;
  #length = 0;
  /** Number of systems in the open transaction. */
  #uncommitted = 0;
  /**
   * Ids of all rows at the last read, and the mark that the file had at that time; `undefined` before the first read.
   */
  #known: { readonly mark: string; readonly ids: readonly number[] } | undefined;

  constructor(path: string, username: string | null) {
    this.#path = path;
    this.#username = username;
    this.#held = new HeldPath(path);
  }

  get length(): number {
    return this.#length;
  }

  async open(): Promise<void> {
    if (this.#database !== undefined) return;
    const file = await openFile(this.#path, "a+"); // its errors are clearer than those of SQLite
    await file.close();
    this.#held.hold();
    try {
      this.#database = this.#prepared();
    } catch (error) {
      this.#held.release();
      throw error;
    }
  }

  #prepared(): Database {
    const database = openDatabase(this.#path);
    try {
      prepareTables(database, this.#path);
      prepareSums(database);
      this.#length = countOf(database, this.#path);
      this.#insert = inserter(database);
    } catch (error) {
      database.close();
      throw storeError(this.#path, "open", error);
    }
    return database;
  }

  append(batch: Batch, counted: () => void): Promise<void> {
    const now = (Date.now() / 1000 - SECONDS_TO_2000) / SECONDS_PER_YEAR;
    const context = { username: this.#username, now };
    const rows = batch.systems().map((system) => rowOf(system, context));
    const database = this.#database!;
    if (!database.isTransaction) this.#begin(database);
    try {
      // A row that fails must remove its own batch only, not the earlier batches of the transaction.
      database.exec("SAVEPOINT batch");
      for (const row of rows) this.#insert!(row);
      database.exec("RELEASE batch");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK TO batch; RELEASE batch");
      throw this.#writeError(error);
    }
    this.#uncommitted += rows.length;
    this.#length += rows.length;
    counted();
    if (this.#uncommitted >= LARGEST_TRANSACTION) this.#commit();
    return Promise.resolve();
  }

  #begin(database: Database): void {
    this.#held.assertThere(); // SQLite would report a removed file as a read-only database
    try {
      // Takes SQLite's write lock before the first read. A deferred transaction takes it at its first write,
      // where SQLite may refuse without waiting for another writer, to avoid a deadlock.
      database.exec("BEGIN IMMEDIATE");
      noteForeignRows(database);
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw this.#writeError(error);
    }
  }

  sync(): Promise<void> {
    this.#held.assertThere();
    this.#commit();
    return Promise.resolve();
  }

  async clear(): Promise<void> {
    await this.open();
    this.#delete("", "empty");
    this.#length = 0;
  }

  truncate(length: number): Promise<void> {
    // The first row to delete. Ids increase, but some may be missing, so it is not `length + 1`.
    const first = `SELECT id FROM systems ORDER BY id LIMIT 1 OFFSET ${length}`;
    this.#commit();
    const id = this.#row(first, "truncate")?.["id"];
    if (id !== undefined) this.#delete(` WHERE id >= ${Number(id)}`, "truncate");
    this.#length = Math.min(this.#length, length);
    return Promise.resolve();
  }

  /** Deletes the rows that the SQL clause `where` selects from all tables; an empty clause selects all rows. */
  #delete(where: string, verb: string): void {
    const database = this.#database!;
    this.#commit();
    try {
      const deletes = [...TABLES, SUMS].map((table) => `DELETE FROM ${table}${where};`);
      database.exec(`BEGIN IMMEDIATE; ${deletes.join(" ")} COMMIT`);
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw databaseError(this.#path, verb, error);
    }
  }

  close(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    try {
      database?.close();
    } finally {
      this.#held.release();
    }
    return Promise.resolve();
  }

  last(): Promise<System | undefined> {
    const row = this.#row("SELECT * FROM systems ORDER BY id DESC LIMIT 1", "read");
    return Promise.resolve(row === undefined ? undefined : systemOfRow(row, this.#path));
  }

  /** Returns the first row that a statement finds; `undefined` if it finds no row. */
  #row(sql: string, verb: string): Row | undefined {
    try {
      return this.#database?.prepare(sql).get();
    } catch (error) {
      throw databaseError(this.#path, verb, error);
    }
  }

  /** Reads the systems of a slice through a separate connection. */
  async *frames(slice: Slice): AsyncGenerator<System, void> {
    this.#commit();
    const mark = await markOf(this.#path);
    if (mark === undefined) return;
    const database = openDatabase(this.#path);
    try {
      const all = this.#idsAt(mark, database);
      if (this.#database === undefined) this.#length = all.length;
      const ids = selectsByStamp(slice) && all.length > 0
        ? selectIds(database, slice)
        : all.slice(slice.from, slice.to);
      if (ids.length === 0) return;
      const get = database.prepare("SELECT * FROM systems WHERE id = ?");
      for (const id of ids) {
        const row = get.get(id);
        if (row === undefined) throw missingRow(this.#path, id);
        yield systemOfRow(row, this.#path);
      }
    } catch (error) {
      throw storeError(this.#path, "read", error);
    } finally {
      database.close();
    }
  }

  /** Compares all rows with their checksums through a separate connection. */
  async *check(): AsyncGenerator<CheckedPart, void> {
    this.#commit();
    await (await openFile(this.#path, "r")).close();
    const database = openDatabase(this.#path);
    try {
      if (!hasTables(database, this.#path)) return;
      yield* checkRows(database, this.#path);
    } catch (error) {
      throw storeError(this.#path, "verify", error);
    } finally {
      database.close();
    }
  }

  /**
   * Returns the ids of all rows in ascending order. Reads them again only if `mark`, the mark of the file, has
   * changed.
   */
  #idsAt(mark: string, database: Database): readonly number[] {
    if (this.#known?.mark === mark) return this.#known.ids;
    let ids: readonly number[] = [];
    if (hasTables(database, this.#path)) {
      countOf(database, this.#path); // throws if the file is damaged
      ids = selectIds(database, {});
    }
    this.#known = { mark, ids };
    return ids;
  }

  #commit(): void {
    const database = this.#database;
    if (database === undefined || !database.isTransaction) return;
    try {
      noteOwnRows(database);
      database.exec("COMMIT");
      this.#uncommitted = 0;
    } catch (error) {
      // Another program is reading. The systems stay in the transaction, and the next commit tries again.
      if (isBusy(error)) throw databaseError(this.#path, "write to", error);
      if (database.isTransaction) database.exec("ROLLBACK");
      throw this.#writeError(error);
    }
  }

  /**
   * Returns the error of a failed write. If SQLite rolled back the whole transaction, no longer counts its systems,
   * and adds their number to the message.
   */
  #writeError(error: unknown): Error {
    const failure = databaseError(this.#path, "write to", error);
    if (this.#database!.isTransaction || this.#uncommitted === 0) return failure;
    failure.message += `; ${this.#uncommitted} systems since the last flush were lost`;
    this.#length -= this.#uncommitted;
    this.#uncommitted = 0;
    return failure;
  }
}

function missingRow(path: string, id: number): SyntaxError {
  return new SyntaxError(
    `Cannot read ${path}: row ${id} is damaged, or was deleted meanwhile`,
  );
}

/**
 * Counts the rows in the table and in its index. Throws a SyntaxError if the counts differ, which may be the only
 * sign of a damaged file.
 */
function countOf(database: Database, path: string): number {
  const count = (from: string) =>
    Number(database.prepare(`SELECT COUNT(*) AS count FROM ${from}`).get()!["count"]);
  const rows = count("systems NOT INDEXED");
  const known = count("systems");
  if (rows === known) return rows;
  throw new SyntaxError(
    `Cannot open ${path}: it is damaged; it has ${rows} of ${known} rows`,
  );
}

/** Returns a function that inserts a row into all tables. */
function inserter(database: Database): (row: AseRow) => void {
  const names = SYSTEM_COLUMNS.join(", ");
  const places = SYSTEM_COLUMNS.map(() => "?").join(", ");
  const system = database.prepare(`INSERT INTO systems (${names}) VALUES (${places})`);
  const species = database.prepare("INSERT INTO species VALUES (?, ?, ?)");
  const key = database.prepare("INSERT INTO keys VALUES (?, ?)");
  const text = database.prepare("INSERT INTO text_key_values VALUES (?, ?, ?)");
  const number = database.prepare("INSERT INTO number_key_values VALUES (?, ?, ?)");
  const sum = database.prepare(`INSERT OR REPLACE INTO ${SUMS} VALUES (?, ?)`);
  return (row) => {
    const { columns, species: counts, pairs } = row;
    const cells = SYSTEM_COLUMNS.map((name): Cell => columns[name] ?? null);
    const { lastInsertRowid: id } = system.run(...cells);
    sum.run(id, sumOfRow(row));
    for (const [element, count] of counts) species.run(element, count, id);
    for (const [name, value] of pairs) {
      key.run(name, id);
      if (typeof value === "string") text.run(name, value, id);
      else number.run(name, Number(value), id);
    }
  };
}

/**
 * Returns a text that changes when any program writes to the file; `undefined` if the file does not exist.
 */
async function markOf(path: string): Promise<string | undefined> {
  const marks = [await markOfFile(path), await markOfFile(`${path}-wal`)];
  return marks[0] === undefined ? undefined : marks.join();
}

async function markOfFile(path: string): Promise<string | undefined> {
  let file: OpenFile;
  try {
    file = await openFile(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size, mtimeMs } = await file.stat();
    return `${size} ${mtimeMs}`;
  } finally {
    await file.close();
  }
}

/** Returns errors of Hooke unchanged, and converts any other to an error of the database. */
function storeError(path: string, verb: string, error: unknown): unknown {
  const isOurs = error instanceof SyntaxError || error instanceof RangeError && !("code" in error);
  return isOurs ? error : databaseError(path, verb, error);
}
