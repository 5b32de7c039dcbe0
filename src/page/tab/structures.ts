/**
 * Structures of dropped files, as the commands read them from paths.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type { Structure } from "../../cli/run/structures.ts";
import { parseStructures } from "../../formats/files.ts";
import type { FormatOptions } from "../../formats/format.ts";
import { endingOf, FILE_FORMATS, formatOfPath } from "../../formats/registry.ts";
import { extxyzFormat } from "../../sinks/extxyz/extxyz_format.ts";
import type { TabFile } from "./messages.ts";

/** Endings of files that Hooke reads, but not in a page. */
const NEEDS_FILES: readonly string[] = [".jsonl", ".db", ".zarr", ".csv"];

/**
 * Reads the structures of files.
 *
 * @throws {RangeError} if the name of a file does not determine a format, or there are no structures
 * @throws {SyntaxError} if a file is damaged or of another format
 */
export async function readTabStructures(
  files: readonly TabFile[],
  options: FormatOptions = {},
): Promise<readonly Structure[]> {
  if (files.length === 0) {
    throw new RangeError("Cannot run without structures: drop at least one file, such as a .xyz");
  }
  const all: Structure[] = [];
  for (const { name, bytes } of files) {
    const systems = await read(name, bytes, options);
    if (systems.length === 0) throw new RangeError(`Cannot read ${name}: it has no structures`);
    const isSingle = systems.length === 1;
    all.push(...systems.map((system, frame) => ({
      system,
      file: name,
      frame,
      label: isSingle ? name : `${name}@${frame}`,
    })));
  }
  return all;
}

/** Returns whether the name of a file is that of structures. */
export function isStructureFile(name: string): boolean {
  return isExtxyz(name) || formatOfPath(name) !== undefined;
}

function isExtxyz(name: string): boolean {
  return [".xyz", ".extxyz"].includes(endingOf(name));
}

async function read(name: string, bytes: Uint8Array, options: FormatOptions): Promise<System[]> {
  if (isExtxyz(name)) return readExtxyz(name, new TextDecoder().decode(bytes));
  if (formatOfPath(name) !== undefined) return await parseStructures(name, bytes, options);
  const advice = NEEDS_FILES.includes(endingOf(name))
    ? `a page cannot read ${
      endingOf(name)
    }; hooke convert ${name} structures.xyz makes a file that it can read`
    : `its name must be POSCAR, CONTCAR or XDATCAR, or end with one of .xyz, .extxyz, ${
      Object.keys(FILE_FORMATS).join(", ")
    }`;
  throw new RangeError(`Cannot read ${name}: ${advice}`);
}

function readExtxyz(name: string, text: string): System[] {
  const format = extxyzFormat({}), lines = text.split(/\r\n|\n|\r/), systems: System[] = [];
  for (let at = 0; at < lines.length;) {
    const more = linesAfter(name, lines[at]!, at + 1);
    if (more < 0) {
      at++;
      continue;
    }
    const record = `${lines.slice(at, at + more + 1).join("\n")}\n`;
    if (format.sumOf?.(record).isRight === false) {
      throw new SyntaxError(
        `Cannot read ${name}: frame ${systems.length} (line ${at + 1}) does not match its checksum`,
      );
    }
    systems.push(inFile(name, () => format.decode(record, at + 1)));
    at += more + 1;
  }
  return systems;
}

function linesAfter(name: string, line: string, number: number): number {
  return inFile(name, () => extxyzFormat({}).linesAfter(line, number));
}

/** Adds the name of the file to an error about its text. */
function inFile<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SyntaxError(`Cannot read ${name}: ${reason}`, { cause });
  }
}
