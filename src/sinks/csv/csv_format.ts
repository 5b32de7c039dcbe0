/**
 * Rows of comma-separated numbers, one row per system.
 *
 * @module
 */

import type { FieldInfo } from "../../batch/fields/fields.ts";
import { show } from "../../base/show.ts";
import type { System } from "../../batch/system.ts";
import type { Stamp } from "../slice.ts";
import type { TextFormat } from "../text/text_format.ts";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NAME = /^[^\s:=",'[\]{}\\]+(\[\d+\])?$/;
/** Matches the beginning of a row, as a killed process may leave it at the end of a file. */
const ROW_START = /^[-+\d.e,Infity]*$/;
/** Beginning of a header whose columns were chosen by the format, not by the user. */
const HEADER_START = "systemId,";

/** Names of the first columns, if the systems have them. */
const FIRST: readonly string[] = ["systemId", "step", "time", "sourceId", "energy"];

/**
 * Format of rows with the given columns. By default an existing file keeps its columns, and a new file gets those in
 * `FIRST` and all other numbers of the first systems.
 */
export class CsvFormat implements TextFormat<number[]> {
  readonly startBytes: number = 1 << 16;
  readonly #path: string;
  readonly #given: readonly string[] | undefined;
  #columns: readonly string[] | undefined;
  /** True if the format chose the columns. Then every number of a system must have a column. */
  #choosesColumns = false;
  #hasHeader = false;

  constructor(path: string, columns: readonly string[] | undefined) {
    this.#path = path;
    this.#given = columns === undefined ? undefined : checkedColumns(columns, path);
    this.#columns = this.#given;
  }

  /** Names of the columns; empty until they are known. */
  get columns(): readonly string[] {
    return this.#columns ?? [];
  }

  linesAfter(start: string, line: number): number {
    if (line > 1) return 0;
    const columns = start.split(",");
    if (this.#given !== undefined) {
      this.#hasHeader = start === this.#given.join(",");
      if (this.#hasHeader) return -1;
      throw new RangeError(
        `Cannot add rows to ${this.#path}: its first line must be ${
          JSON.stringify(this.#given.join(","))
        }; got ${JSON.stringify(start.slice(0, 200))}`,
      );
    }
    if (!areNames(columns)) {
      throw new SyntaxError(
        `Cannot read CSV: line 1 must be names of columns, each once; got ${
          JSON.stringify(start.slice(0, 200))
        }`,
      );
    }
    [this.#columns, this.#choosesColumns, this.#hasHeader] = [columns, false, true];
    return -1;
  }

  isUnfinished(text: string): boolean {
    if (this.#hasHeader) return ROW_START.test(text) && !this.#mayBeComplete(text);
    const header = this.#given?.join(",") ?? HEADER_START;
    return header.startsWith(text) || this.#given === undefined && text.startsWith(header);
  }

  /**
   * Returns whether a row may be complete although its newline is missing. Only tables of other programs can end like
   * this.
   */
  #mayBeComplete(row: string): boolean {
    const columns = this.#columns ?? [];
    if (this.#given !== undefined || columns[0] === FIRST[0]) return false;
    return row.split(",").length === columns.length && !row.endsWith(",");
  }

  header(first: readonly System[]): string {
    if (this.#given === undefined) {
      this.#columns = columnsOf(first);
      this.#choosesColumns = true;
    }
    return `${this.#columns!.join(",")}\n`;
  }

  encode(system: System): string {
    const columns = this.#columns!;
    if (this.#choosesColumns) this.#checkColumns(system, columns);
    return `${columns.map((column) => cellOf(system, column, this.#path)).join(",")}\n`;
  }

  decode(text: string, line: number): number[] {
    const cells = text.replace(/\r?\n$/, "").split(",");
    const numbers = cells.map((cell) => {
      if (cell === "") return NaN;
      if (NUMBER.test(cell) || /^-?Infinity$/.test(cell)) return Number(cell);
      throw new SyntaxError(
        `Cannot read CSV: cells must be numbers; got ${
          JSON.stringify(cell.slice(0, 60))
        } in line ${line}`,
      );
    });
    if (numbers.length === this.columns.length) return numbers;
    throw new SyntaxError(
      `Cannot read CSV: each row must have ${this.columns.length} cells; got ${numbers.length} in line ${line}`,
    );
  }

  stamp(text: string, line: number): Stamp {
    const row = this.decode(text, line);
    const get = (name: string) => {
      const value = row[this.columns.indexOf(name)];
      return value === undefined || Number.isNaN(value) ? undefined : value;
    };
    return { step: get("step"), time: get("time"), system: get("sourceId") ?? get("systemId") };
  }

  #checkColumns(system: System, columns: readonly string[]): void {
    const extra = columnsOf([system]).find((column) => !columns.includes(column));
    if (extra === undefined) return;
    throw new TypeError(
      `Cannot write to ${this.#path}: each number must be among its columns, ${
        columns.join(",")
      }; ` +
        `got ${show(extra)}. Pass columns to choose the numbers to write`,
    );
  }
}

/** Returns the names of the columns for all numbers per system, beginning with those in `FIRST`. */
function columnsOf(systems: readonly System[]): string[] {
  const names = new Set(systems.flatMap((system) => system.fields().flatMap(namesOf)));
  const early = FIRST.filter((name) => names.has(name));
  return [...new Set([...early, ...names])];
}

function namesOf({ name, level, width }: FieldInfo): string[] {
  if (level !== "system") return [];
  return width === 1 ? [name] : Array.from({ length: width }, (_, i) => `${name}[${i}]`);
}

/**
 * Returns the text of one cell: a decimal number that parses to exactly the same value, or an empty text if the value
 * is NaN or the system lacks the field. Throws a TypeError if the field has no such number per system.
 */
function cellOf(system: System, column: string, path: string): string {
  const [, name = column, index] = /^(.*)\[(\d+)\]$/.exec(column) ?? [];
  const info = system.fields().find((field) => field.name === name);
  if (info === undefined) return "";
  const exists = info.level === "system" &&
    (index === undefined ? info.width === 1 : info.width > 1 && Number(index) < info.width);
  if (!exists) {
    throw new TypeError(
      `Cannot write to ${path}: a column must be one number per system; got ${show(column)} of ` +
        `a field with ${info.width} per ${info.level}`,
    );
  }
  const value = system.get(name)[Number(index ?? 0)]!;
  return Number.isNaN(value) ? "" : Object.is(value, -0) ? "-0" : String(value);
}

function areNames(columns: readonly unknown[]): boolean {
  return columns.every((column) => typeof column === "string" && NAME.test(column)) &&
    new Set(columns).size === columns.length && columns.length > 0;
}

function checkedColumns(columns: unknown, path: string): readonly string[] {
  if (!Array.isArray(columns)) {
    throw new TypeError(
      `Cannot make a sink for ${path}: its columns must be a list of names; got ${show(columns)}`,
    );
  }
  if (areNames(columns)) return columns.slice();
  throw new RangeError(
    `Cannot make a sink for ${path}: columns must be different names of fields, such as energy or cell[0]; ` +
      `got ${show(columns)}`,
  );
}
