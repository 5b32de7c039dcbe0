/**
 * Rows of scalars in bounded memory.
 *
 * @module
 */

/** Number of steps done, and the values of the columns after it; null for missing values. */
export type ScalarRow = readonly (number | null)[];

/** Returns a row in which values that JSON lacks are null. */
export function rowOf(step: number, values: readonly number[]): ScalarRow {
  return [step, ...values.map((value) => Number.isFinite(value) ? value : null)];
}

/**
 * Keeps rows evenly over the whole run: if there are too many, every second one is dropped. The last row is always
 * kept. A row of an earlier step, as of a resumed run, replaces the rows from that step on.
 */
export class ScalarRows {
  /** Names of the columns after the step. */
  readonly names: readonly string[];
  readonly #size: number;
  #rows: ScalarRow[] = [];
  #stride = 1;
  #seen = 0;

  /** Keeps up to `size` rows. */
  constructor(names: readonly string[], size: number) {
    this.names = names;
    this.#size = size;
  }

  /** Rows so far. The list does not change; a later call may return another one. */
  get rows(): readonly ScalarRow[] {
    return [...this.#rows];
  }

  /** Adds a row. */
  add(row: ScalarRow): void {
    while (this.#rows.length > 0 && this.#rows.at(-1)![0]! >= row[0]!) this.#drop();
    // The row before was kept because it was the last one.
    if (this.#seen > 0 && (this.#seen - 1) % this.#stride !== 0) this.#rows.pop();
    this.#rows.push(row);
    this.#seen++;
    if (this.#rows.length > this.#size) this.#thin();
  }

  #drop(): void {
    this.#rows.pop();
    this.#seen = this.#rows.length === 0 ? 0 : (this.#rows.length - 1) * this.#stride + 1;
  }

  #thin(): void {
    const last = this.#rows.at(-1)!;
    this.#rows = this.#rows.filter((_, i) => i % 2 === 0);
    this.#stride *= 2;
    if (this.#rows.at(-1) !== last) this.#rows.push(last);
  }
}
