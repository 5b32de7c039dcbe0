/**
 * Check sums of the rows of a database.
 *
 * ASE's tables have no place for them, so they have a table of their own, which ASE does not look at.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";
import { CHANGED, type CheckedPart } from "../damage.ts";
import type { Cell, Database, Row } from "./database.ts";
import { SYSTEM_COLUMNS } from "./schema.ts";
import type { AseRow } from "./write_row.ts";

/** The table of the sums. */
export const SUMS = "hooke_crc32c";

/** Entries for a row in the tables that exist for searches. */
type Searched = readonly (readonly [kind: string, name: Cell, value: Cell])[];

/** Returns the sum of a row and of its entries in other tables. */
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

/** Makes the table of sums if it does not exist. */
export function prepareSums(database: Database): void {
  database.exec(`CREATE TABLE IF NOT EXISTS ${SUMS} (id INTEGER PRIMARY KEY, sum INTEGER)`);
}

/** Compares all rows with their sums, and lets SQLite look at the structure of the file. */
export function* checkRows(database: Database, path: string): Generator<CheckedPart, void> {
  for (const { integrity_check: text } of database.prepare("PRAGMA integrity_check").all()) {
    const part = { place: path, isSummed: true, systems: 0 };
    if (text !== "ok") yield { ...part, reason: String(text) };
  }
  const hasSums = database.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name = '${SUMS}'`,
  ).get() !== undefined;
  const sums = new Map<Cell, Cell>();
  if (hasSums) {
    for (const row of database.prepare(`SELECT id, sum FROM ${SUMS}`).all()) {
      sums.set(row["id"]!, row["sum"]!);
    }
  }
  const searched = searchedRows(database);
  const ids = database.prepare("SELECT id FROM systems ORDER BY id").all();
  const get = database.prepare("SELECT * FROM systems WHERE id = ?");
  for (const { id } of ids) {
    const row = get.get(id!), sum = sums.get(id!);
    sums.delete(id!);
    const part = { place: `row ${id}`, isSummed: sum !== undefined, systems: 1 };
    if (row === undefined) yield { ...part, reason: "it is missing" };
    else if (sum !== undefined && sumOf(row, searched.get(id!) ?? []) !== sum) {
      yield { ...part, reason: CHANGED };
    } else yield part;
  }
  for (const id of sums.keys()) {
    yield { place: `row ${id}`, isSummed: true, systems: 0, reason: "it is missing" };
  }
}

function searchedRows(database: Database): Map<Cell, [string, Cell, Cell][]> {
  const found = new Map<Cell, [string, Cell, Cell][]>();
  const columns = {
    species: "Z AS name, n AS value",
    keys: "key AS name, NULL AS value",
    text_key_values: "key AS name, value",
    number_key_values: "key AS name, value",
  };
  for (const [table, selected] of Object.entries(columns)) {
    for (const row of database.prepare(`SELECT id, ${selected} FROM ${table}`).all()) {
      const of = found.get(row["id"]!) ?? [];
      found.set(row["id"]!, of);
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

/** A cell as text, as SQLite keeps it: NaN is NULL, and -0 is 0. */
function textOf(cell: Cell): string {
  return typeof cell === "number" && Number.isNaN(cell) ? "null" : `${cell}`;
}
