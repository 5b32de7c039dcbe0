import { show } from "../base/show.ts";
import type { StoredSink } from "./sink.ts";
import type { FileSinkOptions } from "./files/file_sink.ts";

/** Makes a sink for a path. */
export type MakeSink = (
  path: string,
  options: FileSinkOptions,
) => StoredSink | Promise<StoredSink>;

/**
 * How paths end, and what makes sinks for those that do. Each kind is loaded when it is asked for.
 *
 * @example
 * ```ts
 * import { SINK_FORMATS } from "@hooke/hooke/sinks";
 * import { assert } from "@std/assert";
 *
 * assert(".jsonl" in SINK_FORMATS);
 * ```
 */
export const SINK_FORMATS: Readonly<Record<string, MakeSink>> = Object.freeze({
  ".xyz": extxyz,
  ".extxyz": extxyz,
  ".jsonl": async (path, options) =>
    new (await import("./jsonl/jsonl_sink.ts")).JsonlSink(path, options),
  ".csv": async (path, options) =>
    new (await import("./csv/csv_sink.ts")).CsvSink(path, undefined, options),
  ".db": async (path, options) =>
    new (await import("./ase/ase_database_sink.ts")).AseDatabaseSink(path, options),
  // It is never left with a part of a system, and all its systems have the same fields: there is no warning.
  ".zarr": async (path, { onWarning: _, ...options }) =>
    new (await import("./zarr/zarr_sink.ts")).ZarrSink(path, options),
});

async function extxyz(path: string, options: FileSinkOptions): Promise<StoredSink> {
  const { ExtxyzSink } = await import("./extxyz/extxyz_sink.ts");
  return new ExtxyzSink(path, options);
}

/** What `openSink` can be told. */
export interface OpenSinkOptions extends FileSinkOptions {
  /**
   * How paths end, and what makes sinks for those: the table to look in.
   *
   * @default SINK_FORMATS
   */
  readonly formats?: Readonly<Record<string, MakeSink>>;
}

/**
 * Opens a sink of the kind that a path ends with: `.xyz` or `.extxyz`, `.jsonl`, `.csv`, `.db`, `.zarr`. What is there
 * is added to.
 *
 * @throws {TypeError} for what is no path
 * @throws {RangeError} for an ending that is not in the table, and for a file of a newer version
 * @throws {SyntaxError} for what is there and is no such file, or damaged; it stays as it is
 * @throws {Error} when the file system refuses, with its `code`
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { openSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * for (const name of ["run.xyz", "run.jsonl", "run.db", "run.zarr"]) {
 *   const sink = await openSink(`${folder}/${name}`);
 *   await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]));
 *   assertEquals((await sink.read()).nodeCount, 1);
 *   await sink.close();
 * }
 * ```
 */
export async function openSink(path: string, options: OpenSinkOptions = {}): Promise<StoredSink> {
  const sink = await sinkFor(path, options);
  await sink.open();
  return sink;
}

/** The same, but nothing is opened: who only reads neither makes nor changes anything. */
export async function sinkFor(path: string, options: OpenSinkOptions): Promise<StoredSink> {
  const { formats = SINK_FORMATS, ...rest } = options;
  if (typeof path !== "string") {
    throw new TypeError(
      `Cannot open a sink: its path must be a text; got ${show(path)}`,
    );
  }
  const ending = /\.[^./\\]*(?=[/\\]*$)/.exec(path)?.[0].toLowerCase() ?? "";
  if (!Object.hasOwn(formats, ending)) {
    throw new RangeError(
      `Cannot open a sink: its path must end with ${Object.keys(formats).join(", ")}: ` +
        `current path is ${show(path)}`,
    );
  }
  return await formats[ending]!(path, rest);
}
