/**
 * Checksums of the rows of a database.
 *
 * ASE's tables have no column for checksums, so they are in a separate table, which ASE ignores. Rows that another
 * program added have no checksums; the table records the ranges of their ids.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";
import { CHANGED, type CheckedPart, MISSING } from "../damage.ts";
import type { Cell, Database, Row } from "./database.ts";
import { SYSTEM_COLUMNS } from "./schema.ts";
import type { AseRow } from "./write_row.ts";

/** Name of the table of checksums. */
export const SUMS = "hooke_crc32c";

/** Entries of a row in the tables that exist for searches. */
type Searched = readonly (readonly [kind: string, name: Cell, value: Cell])[];

/** Returns the checksum of a row and of its entries in other tables. */
export function sumOfRow({ columns, species, pairs }: AseRow): number {
  const searched: [string, Cell, Cell][] = Array.from(species, ([z, n]) => ["species", z, n]);
  for (const [key, value] of pairs) {
    searched.push(["keys", key, null]);
    searched.push(
      typeof value === "string"
        ? ["text_key_values", key, value]
        : ["number_key_values", key, Number(value)],
    );
  }
  return sumOf(columns, searched);
}

/** Creates the table of checksums if it does not exist. */
export function prepareSums(database: Database): void {
  database.exec(`CREATE TABLE IF NOT EXISTS ${SUMS} (id INTEGER PRIMARY KEY, sum INTEGER)`);
}

/**
 * Records the rows that another program added since the last row of Hooke. It is called within a transaction that
 * appends rows. The entry of a range has the negative first id as its id, and the last id in place of a checksum.
 */
export function noteForeignRows(database: Database): void {
  const { first, last } = database.prepare(
    "SELECT MIN(id) AS first, MAX(id) AS last FROM systems WHERE id > ?",
  ).get(lastSummed(database))!;
  if (first !== null) replaceSum(database, -Number(first), Number(last));
}

/**
 * Records the id of the last row that Hooke wrote as entry 0 of the table of checksums. It is called at the end of a
 * transaction that appends rows.
 */
export function noteOwnRows(database: Database): void {
  const last = database.prepare("SELECT MAX(id) AS last FROM systems").get()!["last"];
  if (last !== null) replaceSum(database, 0, Number(last));
}

function replaceSum(database: Database, id: number, sum: number): void {
  database.prepare(`INSERT OR REPLACE INTO ${SUMS} VALUES (?, ?)`).run(id, sum);
}

/** Returns the last id up to which Hooke wrote rows with checksums; 0 if there are no such rows. */
function lastSummed(database: Database): number {
  return Number(
    database.prepare(
      `SELECT MAX(COALESCE((SELECT sum FROM ${SUMS} WHERE id = 0), 0), ` +
        `COALESCE((SELECT MAX(id) FROM ${SUMS}), 0)) AS last`,
    ).get()!["last"],
  );
}

/** Number of rows that are checked at a time, and held in memory together. */
const WINDOW = 8192;

/**
 * Compares all rows with their checksums and lets SQLite check the structure of the file. Nothing is locked
 * between windows of rows, so that a run can write meanwhile.
 */
export function* checkRows(database: Database, path: string): Generator<CheckedPart, void> {
  for (const { integrity_check: text } of database.prepare("PRAGMA integrity_check").all()) {
    const part = { place: path, isSummed: true, systems: 0 };
    if (text !== "ok") yield { ...part, reason: String(text) };
  }
  const wasSummed = summedRows(database);
  const select = database.prepare("SELECT id FROM systems WHERE id > ? ORDER BY id LIMIT ?");
  for (let from = 0;;) {
    const ids = select.all(from, WINDOW).map(({ id }) => Number(id));
    const to = ids.length < WINDOW ? Number.MAX_SAFE_INTEGER : ids.at(-1)!;
    yield* checkWindow(database, ids, { from, to, wasSummed });
    if (ids.length < WINDOW) return;
    from = to;
  }
}

/**
 * Ids above `from` up to and including `to`. `wasSummed` returns whether a row was written with a checksum;
 * it is `undefined` if the file has no checksums.
 */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly wasSummed: ((id: number) => boolean) | undefined;
}

function* checkWindow(
  database: Database,
  ids: readonly number[],
  { from, to, wasSummed }: Window,
): Generator<CheckedPart, void> {
  const sums = new Map<number, Cell>();
  if (wasSummed !== undefined) {
    const select = `SELECT id, sum FROM ${SUMS} WHERE id > ? AND id <= ? ORDER BY id`;
    for (const { id, sum } of database.prepare(select).all(from, to)) sums.set(Number(id), sum!);
  }
  const searched = searchedRows(database, from, to);
  const get = database.prepare("SELECT * FROM systems WHERE id = ?");
  for (const id of ids) {
    const row = get.get(id), sum = sums.get(id);
    sums.delete(id);
    const part = { place: `row ${id}`, isSummed: sum !== undefined, systems: 1 };
    if (row === undefined) yield { ...part, reason: "it is missing" };
    else if (sum !== undefined && sumOf(row, searched.get(id) ?? []) !== sum) {
      yield { ...part, reason: CHANGED };
    } else yield sum === undefined && wasSummed?.(id) ? { ...part, reason: MISSING } : part;
  }
  for (const id of sums.keys()) {
    yield { place: `row ${id}`, isSummed: true, systems: 0, reason: "it is missing" };
  }
}

/**
 * Returns a predicate that tells by id whether a row was written with a checksum; `undefined` if the file has no
 * checksums.
 */
function summedRows(database: Database): ((id: number) => boolean) | undefined {
  const hasSums = database.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name = '${SUMS}'`,
  ).get() !== undefined;
  if (!hasSums) return undefined;
  const last = lastSummed(database);
  const foreign = database.prepare(`SELECT -id AS first, sum AS last FROM ${SUMS} WHERE id < 0`)
    .all();
  return (id) =>
    id <= last && !foreign.some(({ first, last }) => id >= Number(first) && id <= Number(last));
}

/**
 * Returns a map from the ids of rows, above `from` up to and including `to`, to their entries in the tables for
 * searches. These tables have no index of ids, so each one is read in full.
 */
function searchedRows(
  database: Database,
  from: number,
  to: number,
): Map<number, [string, Cell, Cell][]> {
  const found = new Map<number, [string, Cell, Cell][]>();
  const columns = {
    species: "Z AS name, n AS value",
    keys: "key AS name, NULL AS value",
    text_key_values: "key AS name, value",
    number_key_values: "key AS name, value",
  };
  for (const [table, selected] of Object.entries(columns)) {
    const select = `SELECT id, ${selected} FROM ${table} WHERE id > ? AND id <= ?`;
    for (const row of database.prepare(select).all(from, to)) {
      const id = Number(row["id"]), of = found.get(id) ?? [];
      found.set(id, of);
      of.push([table, row["name"]!, row["value"]!]);
    }
  }
  return found;
}

function sumOf(columns: Row, searched: Searched): number {
  let sum = 0;
  const add = (cell: Cell) => {
    const bytes = cell instanceof Uint8Array ? cell : new TextEncoder().encode(textOf(cell));
    sum = crc32c(Uint8Array.of(cell instanceof Uint8Array ? 1 : 0), sum);
    sum = crc32c(new TextEncoder().encode(`${bytes.length}:`), sum);
    sum = crc32c(bytes, sum);
  };
  for (const name of SYSTEM_COLUMNS) add(columns[name] ?? null);
  const lines = searched.map((cells) => cells.map(textOf).join("\t")).sort();
  for (const line of lines) add(line);
  return sum;
}

/** Returns the text of a cell in the form that SQLite stores: NaN is NULL, and −0 is 0. */
function textOf(cell: Cell): string {
  return typeof cell === "number" && Number.isNaN(cell) ? "null" : `${cell}`;
}
