/**
 * Warnings of writers whose files cannot store periodicity in one or two directions.
 *
 * @module
 */

import { printWarning } from "../base/print_warning.ts";
import type { System } from "../batch/system.ts";
import type { FormatOptions } from "./format.ts";

/**
 * Returns a function that warns once per file if a reader would give a system another periodicity than it has.
 *
 * @param becomes periodicity of all structures with a cell in files of the format
 */
export function periodicityCheck(
  format: string,
  becomes: "periodic" | "not periodic",
  { onWarning = printWarning }: FormatOptions,
): (system: System) => void {
  let hasWarned = false;
  return ({ pbc, cell }) => {
    const isWhole = pbc.every((flag) => flag === 1), isNone = pbc.every((flag) => flag === 0);
    const isKept = isWhole || isNone && (cell.every((x) => x === 0) || becomes === "not periodic");
    if (isKept || hasWarned) return;
    hasWarned = true;
    onWarning(
      `${format} files cannot store the periodicity ${
        Array.from(pbc, (flag) => flag === 1 ? "T" : "F").join(" ")
      }: a reader will take the structure as ${
        becomes === "periodic" ? "periodic in three directions" : "not periodic"
      }`,
    );
  };
}
