import type { System } from "../batch/system.ts";
import { refusal } from "./files/open_file.ts";
import { type OpenSinkOptions, sinkFor } from "./open_sink.ts";

/** The systems in a file, got one by one in any order: a dataset for `atomsLoader` and `splitDataset`. */
export interface SystemsFile extends AsyncDisposable {
  /** How many there are. */
  readonly length: number;
  /** The system at a place, read without the others. Throws a RangeError for a place there is not. */
  get(index: number): Promise<System>;
  /** Closes the file. */
  close(): Promise<void>;
}

/**
 * Opens a file of systems to read them in any order: `.xyz`, `.jsonl`, `.db` of ASE, `.zarr`, as `openSink` knows them.
 * The file is only read: a run may still write to it, and it may be read-only. There are as many systems as there were
 * when it was opened. A part of a system at the end is not read, and reported once to `onWarning`.
 *
 * @throws {RangeError} for an ending that is not known, for a file without systems, and for one of a newer version
 * @throws {SyntaxError} for what is no such file, or damaged
 * @throws {TypeError} for a table, which has no systems
 * @throws {Error} where there is no such file, and when the file system refuses, with its `code`
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { openSink, openSystems } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/dimers.xyz`;
 * const sink = await openSink(path);
 * for (const r of [3.6, 3.8, 4]) {
 *   await sink.write(Batch.from([{ symbols: ["Ar", "Ar"], positions: [0, 0, 0, r, 0, 0] }]));
 * }
 * await sink.close();
 *
 * await using dimers = await openSystems(path);
 * assertEquals([dimers.length, (await dimers.get(2)).positions[3]], [3, 4]);
 * ```
 */
export async function openSystems(
  path: string,
  options: OpenSinkOptions = {},
): Promise<SystemsFile> {
  await assertThere(path);
  const sink = await sinkFor(path, options);
  const close = async () => await sink.close();
  try {
    await sink.slice({ to: 1 }); // there must be one
  } catch (error) {
    await close();
    throw error;
  }
  const { length } = sink;
  return {
    length,
    async get(index) {
      if (Number.isInteger(index) && index >= 0 && index < length) {
        return (await sink.slice({ from: index, to: index + 1 })).system(0);
      }
      throw new RangeError(
        `Cannot read ${path}: a place must be a whole number below ${length}; got ${index}`,
      );
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Throws an error for a path where nothing is: a sink would make it. */
export async function assertThere(path: string): Promise<void> {
  const { stat } = await import("node:fs/promises");
  try {
    await stat(path);
  } catch (cause) {
    throw refusal(path, "open", cause);
  }
}
