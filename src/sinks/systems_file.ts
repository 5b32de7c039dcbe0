import type { FormatOptions } from "../formats/format.ts";
import { openAs, openStructures, type SystemsFile } from "../formats/files.ts";
import { formatOfPath } from "../formats/registry.ts";
import { refusal } from "./files/open_file.ts";
import type { System } from "../batch/system.ts";
import { type OpenSinkOptions, sinkFor } from "./open_sink.ts";
import type { Slice } from "./sink.ts";
import { builtin } from "../platform/process.ts";

/**
 * Opens a file of systems to read them in any order, in any format of `openSink` that has atoms (`.xyz`, `.jsonl`,
 * `.db` of ASE, `.zarr`), and in any format of `FILE_FORMATS` (`.cif`, `POSCAR`, `.pdb`, `.traj` and others). The
 * file is only read: it may be read-only, and a run may still write to it. The number of systems is that at the time
 * of opening. A part of a system at the end is not read, and is reported once to `onWarning`.
 *
 * @throws {RangeError} if the ending is not known, the file is empty, or a newer version wrote it
 * @throws {SyntaxError} if the file is damaged or of another format
 * @throws {TypeError} if the file is a table, which has no atoms
 * @throws {Error} if the file does not exist, or the file system refuses, with its `code`
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
  options: OpenSinkOptions & FormatOptions = {},
): Promise<SystemsFile> {
  await assertExists(path);
  if (formatOfPath(path) !== undefined) return await openStructures(path, options);
  // Sinks store elements and units, so they do not need the options of formats that lack them.
  const { topology: _, types: __, units: ___, frameTime: ____, damaged, ...rest } = options;
  const sink = await sinkFor(path, rest);
  const close = async () => await sink.close();
  try {
    await sink.slice({ to: 1 }); // throws if the file is empty
  } catch (error) {
    await close();
    if (damaged !== "keep" || !(error instanceof SyntaxError) || !EXTXYZ.test(path)) throw error;
    const { DAMAGED_EXTXYZ } = await import("../formats/damaged_extxyz.ts"); // not needed for most files
    return openAs(DAMAGED_EXTXYZ, path, options);
  }
  const { length } = sink;
  const { frames } = sink as { frames?(slice: Slice): AsyncGenerator<System, void> };
  return {
    length,
    ...(frames !== undefined && {
      each: (from: number) => frames.call(sink, { from, to: length }),
    }),
    async get(index) {
      if (Number.isInteger(index) && index >= 0 && index < length) {
        return (await sink.slice({ from: index, to: index + 1 })).system(0);
      }
      throw new RangeError(
        `Cannot read ${path}: the index must be a whole number below ${length}; got ${index}`,
      );
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Matches names of extended XYZ files. */
const EXTXYZ = /\.(ext)?xyz$/i;

/** Throws an error if nothing exists at the path, because opening a sink would create the file. */
export async function assertExists(path: string): Promise<void> {
  const { stat } = builtin("node:fs/promises");
  try {
    await stat(path);
  } catch (cause) {
    throw refusal(path, "open", cause);
  }
}
