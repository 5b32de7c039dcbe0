/**
 * Structures of a screening, from the lines of its ledger.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import type { StructureRow } from "../protocol.ts";

/**
 * Returns the rows of lines. Structures that have not failed are frames of the results, in the order of the lines.
 *
 * @param frames number of frames before these lines
 * @throws {SyntaxError} if a line is not one of a ledger
 */
export function structureRows(
  lines: readonly string[],
  name: string,
  frames: number,
): { readonly rows: readonly StructureRow[]; readonly written: number } {
  let written = frames;
  const rows = lines.filter((line) => line !== "").map((line): StructureRow => {
    const of: unknown = JSON.parse(line);
    if (!isObject(of) || typeof of.file !== "string" || typeof of.status !== "string") {
      throw new SyntaxError(`Cannot read ${name}: a line is not the result of a structure`);
    }
    const { file, frame, reason, steps, energy, fmax, atoms } = of;
    const status = of.status as StructureRow["status"], hasFailed = status === "failed";
    return {
      name: frame === null || frame === undefined ? file : `${file}@${frame}`,
      status,
      ...(typeof reason === "string" && reason !== "" && { reason }),
      ...(typeof steps === "number" && { step: steps }),
      ...(typeof energy === "number" && { energy }),
      ...(typeof fmax === "number" && { fmax }),
      ...(typeof atoms === "number" && { atoms }),
      ...(!hasFailed && { frame: written++ }),
    };
  });
  return { rows, written };
}
