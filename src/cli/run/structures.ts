/**
 * Reading of structure files. All commands read structures by {@linkcode readStructures}.
 *
 * @module
 */

import { hop } from "../../base/sequence.ts";
import type { System } from "../../batch/system.ts";
import type { FormatOptions } from "../../formats/format.ts";
import { UsageError } from "../frame/usage_error.ts";
import { checkFormat } from "./formats.ts";

/** Interval at which reading lets signals in, ms. */
const PAUSE = 50;

/** Ranges of frames. */
const RANGE = /^(-?\d+|(-?\d+)?:(-?\d+)?(:0*[1-9]\d*)?)?$/;

/** A structure of a file. */
export interface Structure {
  /** The structure. */
  readonly system: System;
  /** Path of its file, as the user has given it. */
  readonly file: string;
  /** Index of its frame in the file. */
  readonly frame: number;
  /** Name in messages: the file, and the frame if the file has several. */
  readonly label: string;
}

/**
 * Reads the structures of a file, in the format that its name determines. As in ASE, `FILE@INDEX`, `FILE@FROM:TO` and
 * `FILE@FROM:TO:STEP` select frames; negative numbers count from the end. If `signal` is aborted, its reason is thrown.
 *
 * @throws {UsageError} if the file does not exist, has an unknown format, or has no such frames
 * @throws {SyntaxError} if the file is damaged or of another format
 */
export async function readStructures(
  path: string,
  options: FormatOptions = {},
  signal?: AbortSignal,
): Promise<readonly Structure[]> {
  return await Array.fromAsync(eachStructure(path, options, signal));
}

/** Reads the structures of a file as {@linkcode readStructures} does, one by one, so that they are not all in memory. */
export async function* eachStructure(
  path: string,
  options: FormatOptions = {},
  signal?: AbortSignal,
): AsyncGenerator<Structure, void> {
  const { file, range } = splitRange(path);
  checkFormat(file, "read");
  const { openSystems } = await import("../../sinks/systems_file.ts");
  const opened = await openSystems(file, options);
  try {
    const frames = framesOf(range, opened.length);
    if (frames.length === 0) {
      throw new UsageError(`Cannot read ${file}@${range}: the file has ${opened.length} frames`);
    }
    const isSingle = frames.length === 1 && range === undefined;
    let next = performance.now() + PAUSE, read = 0;
    const [first] = frames, isWhole = frames.every((frame, i) => frame === first! + i);
    // Frames in sequence are much faster than single ones.
    const found = isWhole && opened.each?.(first!) || eachOf(opened, frames);
    for await (const system of found) {
      const frame = frames[read++]!;
      yield { system, file, frame, label: isSingle ? file : `${file}@${frame}` };
      if (read === frames.length) break;
      if (performance.now() < next) continue;
      await hop();
      signal?.throwIfAborted();
      next = performance.now() + PAUSE;
    }
    signal?.throwIfAborted();
  } finally {
    await opened.close();
  }
}

/**
 * Splits `FILE@RANGE` into the file and the range.
 *
 * @throws {UsageError} if the range is neither an index nor `FROM:TO` nor `FROM:TO:STEP`
 */
export function splitRange(
  path: string,
): { readonly file: string; readonly range: string | undefined } {
  const [, file = path, range] = /^(.+)@([-\d:]*)$/.exec(path) ?? [];
  if (range !== undefined && !RANGE.test(range)) {
    throw new UsageError(
      `Cannot read ${path}: the frames must be INDEX, FROM:TO or FROM:TO:STEP with a STEP above 0, as in ` +
        `${file}@-1 or ${file}@0:10`,
    );
  }
  return { file, range };
}

/** Reads the structures of several files, in order. Throws a UsageError if there are no files. */
export async function readAllStructures(
  files: readonly string[],
  options: FormatOptions = {},
  signal?: AbortSignal,
): Promise<readonly Structure[]> {
  if (files.length === 0) {
    throw new UsageError(
      "Cannot run without structures: pass at least one file, such as argon.xyz",
    );
  }
  const all: Structure[] = [];
  for (const file of files) {
    for (const structure of await readStructures(file, options, signal)) all.push(structure);
  }
  return all;
}

async function* eachOf(
  opened: { get(frame: number): Promise<System> },
  frames: readonly number[],
): AsyncGenerator<System> {
  for (const frame of frames) yield await opened.get(frame);
}

/** Returns the indices of the frames that a range selects from `length` frames. */
export function framesOf(range: string | undefined, length: number): number[] {
  const all = Array.from({ length }, (_, frame) => frame);
  if (range === undefined || range === "") return all;
  const [from = "", to, step = "1"] = range.split(":");
  if (to !== undefined) {
    return all.slice(from === "" ? 0 : Number(from), to === "" ? length : Number(to))
      .filter((_, i) => i % Number(step) === 0);
  }
  const frame = all.at(Number(from));
  return frame === undefined ? [] : [frame];
}

/** Returns the symbols of the elements of structures, each once, in alphabetical order. */
export function elementsOf(structures: readonly Structure[]): string[] {
  return [...new Set(structures.flatMap(({ system }) => system.symbols))].sort();
}
