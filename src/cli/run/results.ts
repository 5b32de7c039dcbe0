/**
 * Files of results.
 *
 * @module
 */

import { stemOf } from "./path_kind.ts";
import { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import { reasonOf } from "../../base/show.ts";
import type { FormatOptions } from "../../formats/format.ts";
import { formatOfPath } from "../../formats/registry.ts";
import { SINK_FORMATS } from "../../sinks/open_sink.ts";
import { permissionText } from "../frame/permission.ts";
import { UsageError } from "../frame/usage_error.ts";
import { checkFormat, exists, isSinkPath } from "./formats.ts";
import { isReplaceable, writeToSink } from "./replaced_file.ts";
import type { Structure } from "./structures.ts";

/** A file of results, and the structures that it gets, by their index. */
export interface ResultFile {
  readonly path: string;
  readonly structures: readonly number[];
}

/**
 * Returns the files of results: each file of `outputs` gets all structures; without outputs, each input file gets a
 * file `NAME.WHAT.xyz` in the current folder.
 *
 * @throws {UsageError} if the ending of a file is unknown, or a file exists and `overwrite` is not given
 */
export function planResults(
  structures: readonly Structure[],
  { outputs, what, overwrite }: {
    readonly outputs: readonly string[];
    readonly what: string;
    readonly overwrite: boolean;
  },
): readonly ResultFile[] {
  const all = structures.map((_, i) => i);
  const plan = outputs.length > 0
    ? outputs.map((path) => ({ path, structures: all }))
    : Array.from(Map.groupBy(all, (i) => structures[i]!.file))
      .map(([file, structures]) => ({ path: resultName(file, what), structures }));
  checkNames(plan, structures);
  for (const { path } of plan) checkOutput(path, overwrite);
  return plan;
}

/** Throws a UsageError if two input files would get the same file of results, as `a/x.xyz` and `b/x.xyz` would. */
function checkNames(plan: readonly ResultFile[], structures: readonly Structure[]): void {
  for (const [path, same] of Map.groupBy(plan, ({ path }) => path)) {
    if (same.length === 1) continue;
    const files = same.map(({ structures: [i] }) => structures[i!]!.file);
    throw new UsageError(
      files[0] === files[1]
        ? `Cannot write two results to ${path}: pass --output ${path} once`
        : `Cannot write the results of ${files.join(" and ")} to one file ${path}: ` +
          `pass one file for all by --output, or run the command for each`,
    );
  }
}

function resultName(file: string, what: string): string {
  const name = stemOf(file);
  return `${name}.${what}.xyz`;
}

/** Throws a UsageError if a file of structures cannot be created at `path`. */
export function checkOutput(path: string, overwrite: boolean): void {
  checkFormat(path, "write");
  if (!exists(path)) return;
  if (!overwrite) {
    throw new UsageError(
      `Cannot write ${path}: it exists. Pass --overwrite to replace it, or another file by --output`,
    );
  }
  if (!isReplaceable(path)) {
    throw new UsageError(
      `Cannot replace ${path}: it is a folder and not a file of structures. Pass another file by --output`,
    );
  }
}

/** Throws a UsageError if a file of the structures of all steps cannot be created at `path`. */
export function checkTrajectory(path: string, overwrite: boolean): void {
  checkTrajectoryName(path);
  checkOutput(path, overwrite);
}

/** Throws a UsageError if a run cannot append structures to a file of this name. */
export function checkTrajectoryName(path: string): void {
  const isTable = /\.csv$/i.test(path); // has no positions
  if (isSinkPath(path) && !isTable) return;
  throw new UsageError(
    `Cannot write ${path} during a run: its name must end with one of ${
      Object.keys(SINK_FORMATS).filter((ending) => ending !== ".csv").join(", ")
    }; hooke convert makes other formats of it`,
  );
}

/**
 * Writes the structures to nowhere in the planned formats, so that a structure that a format cannot represent is
 * refused before the run and not after it.
 *
 * @throws {UsageError} if a format cannot represent a structure, or holds only one
 */
export async function checkFormats(
  plan: readonly ResultFile[],
  all: readonly Structure[],
  options: FormatOptions,
): Promise<void> {
  for (const { path, structures } of plan) {
    const format = await formatOfPath(path)?.();
    if (format === undefined) continue;
    if (format.frames === "one" && structures.length > 1) {
      throw new UsageError(
        `Cannot write ${path}: a ${format.name} file holds one structure, and there are ${structures.length}`,
      );
    }
    const writer = format.write!(options);
    try {
      for (const i of structures) writer.frame(all[i]!.system);
    } catch (cause) {
      throw new UsageError(reasonOf(cause));
    }
  }
}

/** Result of {@linkcode saveResults}. */
export interface Saved {
  /** Files that have been written. */
  readonly paths: readonly string[];
  /** True if a planned file could not be written. Its structures are in another file. */
  readonly isElsewhere: boolean;
}

/**
 * Writes structures to the planned files. If a file cannot be written, its structures are written to an extended XYZ
 * file in the current folder, and `warn` receives the reason.
 *
 * @throws {Error} if the other file cannot be written either
 */
export async function saveResults(
  plan: readonly ResultFile[],
  systems: readonly System[],
  options: FormatOptions,
  warn: (message: string) => void,
): Promise<Saved> {
  const paths: string[] = [];
  for (const file of plan) {
    try {
      await writeResults([file], systems, options);
      paths.push(file.path);
    } catch (error) {
      const path = freePath(file.path);
      await writeResults([{ ...file, path }], systems);
      paths.push(path);
      const reason = error instanceof Error ? error.message : String(error);
      warn(`${permissionText(reason) ?? reason}. The results are in ${path} instead`);
    }
  }
  return { paths, isElsewhere: paths.some((path, i) => path !== plan[i]!.path) };
}

/** Returns the name of a new .xyz file in the current folder for results that belong to `path`. */
function freePath(path: string): string {
  const stem = stemOf(path);
  for (let n = 1;; n++) {
    const free = n === 1 ? `${stem}.rescued.xyz` : `${stem}.rescued-${n}.xyz`;
    if (!exists(free)) return free;
  }
}

/** Writes structures to the planned files. Existing files are replaced. */
export async function writeResults(
  plan: readonly ResultFile[],
  systems: readonly System[],
  options: FormatOptions = {},
): Promise<void> {
  for (const { path, structures } of plan) {
    if (formatOfPath(path) !== undefined) {
      const { writeStructures } = await import("../../formats/files.ts");
      await writeStructures(path, structures.map((i) => systems[i]!), options);
      continue;
    }
    const batch = Batch.from(structures.map((i) => systems[i]!));
    await writeToSink(path, async (sink) => await sink.write(batch));
  }
}
