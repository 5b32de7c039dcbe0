/**
 * The tables of ASE's databases, version 9.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { Database } from "./database.ts";

/** The version that is written. Versions from `OLDEST` on are read. */
const VERSION = 9;
const OLDEST = 5;

/** Columns of the table of systems, in order. */
const COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ["id", "INTEGER PRIMARY KEY AUTOINCREMENT"],
  ["unique_id", "TEXT UNIQUE"],
  ["ctime", "REAL"],
  ["mtime", "REAL"],
  ["username", "TEXT"],
  ["numbers", "BLOB"],
  ["positions", "BLOB"],
  ["cell", "BLOB"],
  ["pbc", "INTEGER"],
  ["initial_magmoms", "BLOB"],
  ["initial_charges", "BLOB"],
  ["masses", "BLOB"],
  ["tags", "BLOB"],
  ["momenta", "BLOB"],
  ["constraints", "TEXT"],
  ["calculator", "TEXT"],
  ["calculator_parameters", "TEXT"],
  ["energy", "REAL"],
  ["free_energy", "REAL"],
  ["forces", "BLOB"],
  ["stress", "BLOB"],
  ["dipole", "BLOB"],
  ["magmoms", "BLOB"],
  ["magmom", "REAL"],
  ["charges", "BLOB"],
  ["key_value_pairs", "TEXT"],
  ["data", "BLOB"],
  ["natoms", "INTEGER"],
  ["fmax", "REAL"],
  ["smax", "REAL"],
  ["volume", "REAL"],
  ["mass", "REAL"],
  ["charge", "REAL"],
];

/** Names of the columns of a system without `id`. */
export const SYSTEM_COLUMNS: readonly string[] = COLUMNS.slice(1).map(([name]) => name);

/** Map from the name of a table that exists for searches to its columns, except the last one, the id of the system. */
const SEARCHED: Readonly<Record<string, string>> = {
  species: "Z INTEGER, n INTEGER",
  keys: "key TEXT",
  text_key_values: "key TEXT, value TEXT",
  number_key_values: "key TEXT, value REAL",
};

/** Tables from which a deleted system is removed. */
export const TABLES: readonly string[] = [...Object.keys(SEARCHED), "systems"];

const INDICES: readonly (readonly [name: string, on: string])[] = [
  ["unique_id_index", "systems(unique_id)"],
  ["ctime_index", "systems(ctime)"],
  ["username_index", "systems(username)"],
  ["calculator_index", "systems(calculator)"],
  ["species_index", "species(Z)"],
  ["key_index", "keys(key)"],
  ["text_index", "text_key_values(key)"],
  ["number_index", "number_key_values(key)"],
];

function makeTables(): string {
  const systems = COLUMNS.map(([name, type]) => `${name} ${type}`).join(", ");
  const others = Object.entries(SEARCHED).map(([name, columns]) =>
    `CREATE TABLE ${name} (${columns}, id INTEGER, FOREIGN KEY (id) REFERENCES systems(id));`
  );
  return [
    "BEGIN IMMEDIATE;",
    `CREATE TABLE systems (${systems});`,
    ...others,
    "CREATE TABLE information (name TEXT, value TEXT);",
    `INSERT INTO information VALUES ('version', '${VERSION}');`,
    ...INDICES.map(([name, on]) => `CREATE INDEX ${name} ON ${on};`),
    "COMMIT;",
  ].join("\n");
}

/**
 * Creates the tables if the database is empty, otherwise checks them.
 *
 * @throws {SyntaxError} if a table or column of ASE is missing
 * @throws {RangeError} if the version differs from the one that Hooke writes
 */
export function prepareTables(database: Database, path: string): void {
  if (tablesOf(database).length === 0) database.exec(makeTables());
  else checkTables(database, path, VERSION);
}

/**
 * Checks the tables. Returns `false` if the database is empty.
 *
 * @throws {SyntaxError} if a table or column of ASE is missing
 * @throws {RangeError} if Hooke cannot read this version of the tables
 */
export function hasTables(database: Database, path: string): boolean {
  if (tablesOf(database).length === 0) return false;
  checkTables(database, path, OLDEST);
  return true;
}

function checkTables(database: Database, path: string, oldest: number): void {
  const tables = tablesOf(database);
  const missing = [...TABLES, "information"].filter((name) => !tables.includes(name));
  if (missing.length > 0) {
    throw new SyntaxError(
      `Cannot open ${path}: it must be an ASE database; it has no table ${missing[0]}`,
    );
  }
  const known = database.prepare("PRAGMA table_info(systems)").all().map(({ name }) => name);
  const missingColumn = COLUMNS.find(([name]) => !known.includes(name));
  if (missingColumn !== undefined) {
    throw new SyntaxError(
      `Cannot open ${path}: it must be an ASE database; its systems have no column ${
        missingColumn[0]
      }`,
    );
  }
  const version = versionOf(database, path);
  if (version >= oldest && version <= VERSION) return;
  throw new RangeError(
    `Cannot open ${path}: its version must be ${
      oldest === VERSION ? `${VERSION} to be added to` : `from ${oldest} to ${VERSION}`
    }; got ${version}`,
  );
}

/**
 * Returns the version of the tables. SQLite ignores the case of column names in statements, but names the columns of
 * a row as the table does. `AS` gives the column a known name.
 */
function versionOf(database: Database, path: string): number {
  const select = "SELECT value AS version FROM information WHERE name = 'version'";
  const value = database.prepare(select).get()?.["version"] ?? undefined;
  const isNumber = typeof value === "string" && value.trim() !== "" || typeof value === "number";
  const version = isNumber ? Number(value) : NaN;
  if (Number.isFinite(version)) return version;
  const reason = value === undefined
    ? "it must be an ASE database; it has no version"
    : `it must be an ASE database whose version is a number; got ${show(value)}`;
  throw new SyntaxError(`Cannot open ${path}: ${reason}`);
}

function tablesOf(database: Database): string[] {
  return database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    .map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"));
}
