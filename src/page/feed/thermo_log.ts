/**
 * Rows of `log.csv`, as they are written.
 *
 * @module
 */

import { SCALAR_OF_COLUMN } from "../../observe/atoms/thermo_row.ts";
import { rowOf, type ScalarRow } from "./scalar_rows.ts";

/** Columns that are no curves: they count, or tell systems apart. */
const KEYS: ReadonlySet<string> = new Set(["step", "systemId", "status", "time"]);

/** Turns lines of a log with one row per step and system into means over the systems. */
export class ThermoLog {
  #columns: readonly string[] = [];
  #step = NaN;
  #systems: (readonly number[])[] = [];

  /** Names of the scalars, in the order of the columns. */
  get names(): readonly string[] {
    return this.#columns.filter((column) => !KEYS.has(column))
      .map((column) => SCALAR_OF_COLUMN[column] ?? column);
  }

  /**
   * Takes lines, and returns the means of their steps. The last step may lack systems, and comes again with them.
   *
   * @param isAnew true if the first line is the head
   */
  take(lines: readonly string[], isAnew: boolean): ScalarRow[] {
    const rows: ScalarRow[] = [];
    let isChanged = false;
    const finish = () => {
      if (isChanged) rows.push(this.#mean());
      isChanged = false;
    };
    const body = isAnew ? lines.slice(1) : lines;
    if (isAnew) this.#columns = (lines[0] ?? "").split(",");
    if (isAnew) this.#step = NaN;
    const at = this.#columns.indexOf("step");
    for (const line of body) {
      const cells = line.split(",").map((cell) => cell.trim() === "" ? NaN : Number(cell));
      const step = cells[at];
      if (cells.length !== this.#columns.length || !Number.isFinite(step)) continue; // not a row
      if (step !== this.#step) {
        finish();
        [this.#step, this.#systems] = [step!, []];
      }
      this.#systems.push(cells);
      isChanged = true;
    }
    finish();
    return rows;
  }

  #mean(): ScalarRow {
    const values = this.#columns.flatMap((column, i) => {
      if (KEYS.has(column)) return [];
      const known = this.#systems.map((cells) => cells[i]!).filter((value) => !Number.isNaN(value));
      return [known.reduce((sum, value) => sum + value, 0) / known.length];
    });
    return rowOf(this.#step, values);
  }
}
