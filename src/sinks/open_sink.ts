import { show } from "../base/show.ts";
import type { StoredSink } from "./sink.ts";
import type { FileSinkOptions } from "./files/file_sink.ts";

/** Function that creates the sink for a path, without opening its file. */
export type MakeSink = (
  path: string,
  options: FileSinkOptions,
) => StoredSink | Promise<StoredSink>;

/**
 * Formats of sinks by the endings of paths. The code of a format is loaded when it is used.
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
  // A Zarr store never contains a part of a system, and all its systems have the same fields, so it gives no
  // warnings.
  ".zarr": async (path, { onWarning: _, ...options }) =>
    new (await import("./zarr/zarr_sink.ts")).ZarrSink(path, options),
});

async function extxyz(path: string, options: FileSinkOptions): Promise<StoredSink> {
  const { ExtxyzSink } = await import("./extxyz/extxyz_sink.ts");
  return new ExtxyzSink(path, options);
}

/** Options of {@linkcode openSink}. */
export interface OpenSinkOptions extends FileSinkOptions {
  /**
   * Functions that create sinks, by the endings of paths.
   *
   * @default SINK_FORMATS
   */
  readonly formats?: Readonly<Record<string, MakeSink>>;
}

/**
 * Opens a sink in the format that the ending of a path names: `.xyz` or `.extxyz`, `.jsonl`, `.csv`, `.db`, `.zarr`.
 * Systems are appended to an existing file. `await using` closes the sink at the end of a block.
 *
 * @throws {TypeError} if the path is not a string
 * @throws {RangeError} if the ending is not known, or a newer version wrote the file
 * @throws {SyntaxError} if the file is damaged or of another format; the file stays unchanged
 * @throws {Error} if the file system refuses, with its `code`
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { openSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * for (const name of ["run.xyz", "run.jsonl", "run.db", "run.zarr"]) {
 *   await using sink = await openSink(`${folder}/${name}`);
 *   await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]));
 *   assertEquals((await sink.read()).nodeCount, 1);
 * }
 * ```
 */
export async function openSink(path: string, options: OpenSinkOptions = {}): Promise<StoredSink> {
  const sink = await sinkFor(path, options);
  await sink.open();
  return sink;
}

/** Creates the sink without opening its file: reading neither creates nor changes a file. */
export async function sinkFor(path: string, options: OpenSinkOptions): Promise<StoredSink> {
  const { formats = SINK_FORMATS, ...rest } = options;
  if (typeof path !== "string") {
    throw new TypeError(
      `Cannot open a sink: its path must be a string; got ${show(path)}`,
    );
  }
  const ending = /\.[^./\\]*(?=[/\\]*$)/.exec(path)?.[0].toLowerCase() ?? "";
  if (!Object.hasOwn(formats, ending)) {
    throw new RangeError(
      `Cannot open a sink: its path must end with one of ${Object.keys(formats).join(", ")}; ` +
        `got ${show(path)}`,
    );
  }
  return await formats[ending]!(path, rest);
}
