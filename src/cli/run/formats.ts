/**
 * Options for files that lack the elements or the units of their contents.
 *
 * @module
 */

import { codeOf } from "../../base/file_refusal.ts";
import { findHost } from "../../platform/host.ts";
import { endingOf, FILE_FORMATS, formatOfPath } from "../../formats/registry.ts";
import { SINK_FORMATS } from "../../sinks/open_sink.ts";
import { choice, type OptionsOf, text } from "../frame/option.ts";
import { UsageError } from "../frame/usage_error.ts";
import { kindOf } from "./path_kind.ts";

/** Settings of files that lack elements or units. */
export interface FormatSettings {
  /** File of a structure with the elements of the atoms. */
  readonly topology: string | undefined;
  /** Elements of the atom types of LAMMPS, separated by commas. */
  readonly types: string | undefined;
  /** Units of LAMMPS files. */
  readonly units: "metal" | "real" | undefined;
}

/** Options of {@linkcode FormatSettings}. */
export const FORMAT_OPTIONS: OptionsOf<FormatSettings> = {
  topology: text({
    value: "FILE",
    help: "Structure with the elements of the atoms, for .dcd, .xtc, .h5md and LAMMPS dumps",
    initial: undefined,
  }),
  types: text({
    value: "LIST",
    also: ["specorder"],
    help: "Elements of LAMMPS's atom types 1, 2, …, such as Ar,Kr",
    otherwise: "from the masses in the file",
    initial: undefined,
  }),
  units: choice(["metal", "real"], {
    help: "Units of LAMMPS files: metal or real",
    otherwise: "those that the file names, else metal",
    initial: undefined,
  }),
};

/** Endings and names of all files that can be read (`"read"`) or written, for messages. */
export function formatNames(action: "read" | "write"): string {
  const sinks = Object.keys(SINK_FORMATS).filter((ending) =>
    action === "write" || ending !== ".csv"
  );
  return `${[...sinks, ...Object.keys(FILE_FORMATS)].join(", ")}, POSCAR, CONTCAR, XDATCAR`;
}

/** Returns whether a file of this name can contain structures. */
export function isStructureName(path: string): boolean {
  return formatOfPath(path) !== undefined || isSinkPath(path) && !/\.csv$/i.test(path);
}

/** Throws a UsageError if the name of a file does not determine a format. A table (.csv) can only be written. */
export function checkFormat(path: string, action: "read" | "write"): void {
  const isTable = /\.csv$/i.test(path) && action === "read";
  if (!isTable && (isSinkPath(path) || formatOfPath(path) !== undefined)) return;
  if (action === "read" && kindOf(path) === "folder") {
    throw new UsageError(
      `Cannot read ${path}: it is a folder. Pass its files; hooke screen relaxes all structures of a folder`,
    );
  }
  throw new UsageError(
    `Cannot ${action} ${path}: its name must end with one of ${formatNames(action)}`,
  );
}

/** Returns whether `openSink` knows the format of a path. */
export function isSinkPath(path: string): boolean {
  return Object.hasOwn(SINK_FORMATS, endingOf(path));
}

/** Returns whether something exists at a path. */
export function exists(path: string): boolean {
  try {
    findHost()!.statSync(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String(codeOf(error)))) return false;
    throw error;
  }
}
