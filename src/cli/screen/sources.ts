/**
 * Sources of a screening: files and folders, read one structure after another.
 *
 * @module
 */

import { endingOf } from "../../formats/registry.ts";
import { builtin } from "../../platform/process.ts";
import { openSystems } from "../../sinks/systems_file.ts";
import type { System } from "../../batch/system.ts";
import type { SystemsFile } from "../../formats/files.ts";
import type { FormatOptions } from "../../formats/format.ts";
import { UsageError } from "../frame/usage_error.ts";
import { formatNames, isStructureName } from "../run/formats.ts";
import { kindOf } from "../run/path_kind.ts";
import { readStructures, splitRange, type Structure } from "../run/structures.ts";

/** A structure that could not be read, or has failed. */
export interface Failure {
  readonly file: string;
  /** Index of the frame in the file; undefined if the whole file cannot be read. */
  readonly frame: number | undefined;
  readonly atoms?: number;
  readonly reason: string;
}

/**
 * Returns the files of a screening: those that are given, and all structure files in the given folders and their
 * subfolders, sorted by name.
 *
 * @throws {UsageError} if a folder has no such files, or no file has a known format
 */
export async function filesOf(paths: readonly string[]): Promise<readonly string[]> {
  const { stat } = builtin("node:fs/promises");
  const all: string[] = [];
  for (const path of paths) {
    const isFolder = await stat(path).then((info) => info.isDirectory(), () => false);
    if (!isFolder || endingOf(path) === ".zarr") {
      all.push(path); // a file that does not exist becomes a failure with its reason
      continue;
    }
    const found = await filesIn(path.replace(/(.)[/\\]+$/, "$1"));
    if (found.length === 0) {
      throw new UsageError(
        `Cannot screen ${path}: it has no structure files (${formatNames("read")})`,
      );
    }
    all.push(...found);
  }
  if (all.some(mayHaveStructures)) return all;
  const missing = all.find((path) => kindOf(path) === undefined);
  if (missing !== undefined) {
    throw new UsageError(`Cannot screen ${missing}: there is no such file or folder`);
  }
  if (all.length > 0) {
    throw new UsageError(
      `Cannot screen ${all.join(", ")}: no structures found. Files of structures are ${
        formatNames("read")
      }`,
    );
  }
  throw new UsageError("Cannot screen nothing: pass a folder or files of structures");
}

/** Returns whether the name of a file, without a range of frames, is that of a known format. */
function mayHaveStructures(path: string): boolean {
  return isStructureName(splitRange(path).file);
}

async function filesIn(folder: string): Promise<string[]> {
  const { readdir } = builtin("node:fs/promises");
  const entries = await readdir(folder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const path = `${folder}/${entry.name}`;
    const isStructure = isStructureName(entry.name);
    if (entry.isDirectory() && !isStructure) found.push(...await filesIn(path));
    else if (isStructure) found.push(path);
  }
  return found;
}

/** Reads the structures of files one by one. Whatever cannot be read is passed to `failed`. */
export async function* structuresIn(
  files: Iterable<string> | AsyncIterable<string>,
  options: FormatOptions,
  failed: (failure: Failure) => void,
): AsyncGenerator<Structure> {
  for await (const file of files) {
    try {
      yield* structuresOf(file, options, failed);
    } catch (error) {
      failed({ file, frame: undefined, reason: reasonIn(file, error) });
    }
  }
}

/** Reads the structures of a file. They are not in memory at the same time. */
async function* structuresOf(
  file: string,
  options: FormatOptions,
  failed: (failure: Failure) => void,
): AsyncGenerator<Structure> {
  if (splitRange(file).range !== undefined || !isStructureName(file)) {
    yield* await readStructures(file, options);
    return;
  }
  const opened = await openSystems(file, { ...options, damaged: "keep", onWarning: () => {} });
  try {
    const { length } = opened;
    for (let frame = 0; frame < length; frame++) {
      try {
        for await (const system of opened.each?.(frame) ?? eachOf(opened, frame)) {
          yield { system, file, frame, label: length === 1 ? file : `${file}@${frame}` };
          frame++;
        }
      } catch (error) {
        failed({ file, frame, reason: reasonIn(file, error) });
      }
    }
  } finally {
    await opened.close();
  }
}

async function* eachOf({ length, get }: SystemsFile, from: number): AsyncGenerator<System, void> {
  for (let index = from; index < length; index++) yield await get(index);
}

/** Returns the message of an error about a file without the name of the file, which all lists of failures show. */
function reasonIn(file: string, error: unknown): string {
  const reason = reasonOf(error), { file: path } = splitRange(file);
  for (const begin of [`Cannot read ${path}`, `Cannot open ${path}`]) {
    const [, rest] = /^(?: as [^:]+)?: (.*)$/.exec(reason.slice(begin.length)) ?? [];
    if (reason.startsWith(begin) && rest !== undefined) return rest;
  }
  return reason;
}

/** Returns the message of an error on one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // Messages of the library name its options, which the command line writes as flags.
  return text.replaceAll(/\s*\n\s*/g, " ").replaceAll(/`(topology|types|units)`/g, "--$1");
}
