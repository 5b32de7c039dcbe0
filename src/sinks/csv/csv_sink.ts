import { checkOptions } from "../../base/check_options.ts";
import { FILE_OPTIONS, FileSink, type FileSinkOptions } from "../files/file_sink.ts";
import type { FrameStore } from "../files/frame_store.ts";
import type { Slice } from "../sink.ts";
import { checkedSlice } from "../slice.ts";
import { TextStore } from "../text/text_store.ts";
import { CsvFormat } from "./csv_format.ts";

/**
 * Writes a row of numbers for each system to a file of comma-separated values. The numbers are the system's fields
 * per system; fields of several numbers are columns `cell[0]`, `cell[1]`, …. A missing field and NaN are empty cells.
 *
 * A table does not contain atoms, so systems cannot be read back: `read`, `slice`, `frames` and `drain` throw a
 * TypeError and do not change the file. `table` reads the numbers.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { CsvSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/energies.csv`;
 * await using sink = new CsvSink(path, ["systemId", "energy"]);
 * for (const energy of [-1, -1.5]) {
 *   await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], energy }]));
 * }
 * await sink.flush();
 * assertEquals(await Deno.readTextFile(path), "systemId,energy\n0,-1\n0,-1.5\n");
 * assertEquals([...(await sink.table({ from: 1 })).get("energy")!], [-1.5]);
 * ```
 */
export class CsvSink extends FileSink {
  readonly #rows: TextStore<number[]>;
  readonly #format: CsvFormat;

  /**
   * Creates the sink. The file is opened by `open` or the first `write`.
   *
   * @param columns the numbers to keep, such as `energy` or `cell[0]`. By default the columns of the file, or
   * all numbers of the first systems.
   * @throws {TypeError} if `columns` is not a list
   * @throws {RangeError} if a column is not a valid name, or is repeated
   */
  constructor(
    path: string,
    columns?: readonly string[],
    options: FileSinkOptions = {},
  ) {
    checkOptions("make a CsvSink", options, FILE_OPTIONS);
    const format = new CsvFormat(path, columns),
      rows = new TextStore(path, format, options.onWarning);
    super(path, rowsOnly(path, rows), options);
    this.#format = format;
    this.#rows = rows;
  }

  /** Names of the columns; empty until they are known. */
  get columns(): readonly string[] {
    return this.#format.columns;
  }

  /**
   * Returns the numbers of the systems of a slice, by column. An empty cell is NaN.
   *
   * @throws {SyntaxError} if the file is not a table of numbers; the message names the line
   */
  async table(slice: Slice = {}): Promise<Map<string, Float64Array>> {
    const checked = checkedSlice(slice, `read ${this.path}`);
    await this.settle();
    const rows: number[][] = [];
    for await (const row of this.#rows.frames(checked)) rows.push(row);
    return new Map(
      this.columns.map((column, i) => [column, Float64Array.from(rows, (row) => row[i]!)]),
    );
  }
}

/** Returns a store that appends systems as rows. Reading systems from it throws a TypeError. */
function rowsOnly(path: string, rows: TextStore<number[]>): FrameStore {
  const assertReadable = () => {
    throw new TypeError(
      `Cannot read systems from ${path}: a table has rows of numbers and no atoms. Read the numbers with table()`,
    );
  };
  return {
    get length() {
      return rows.length;
    },
    open: () => rows.open(),
    append: (batch, counted) => rows.append(batch, counted),
    sync: () => rows.sync(),
    clear: () => rows.clear(),
    truncate: (length) => rows.truncate(length),
    close: () => rows.close(),
    last: async () => void await rows.last(), // throws if the last row is damaged, before rows are added
    check: () => rows.check(),
    assertReadable,
    frames: assertReadable,
  };
}
