/**
 * The format XDATCAR of trajectories of VASP.
 *
 * @module
 */

import { type System, systemOfData } from "../../batch/system.ts";
import {
  type FormatOptions,
  type FrameWriter,
  type StructureFormat,
  textWriter,
  undamaged,
} from "../format.ts";
import { toCartesian, toFractional } from "../fractional.ts";
import { periodicityCheck } from "../periodicity.ts";
import type { StructureSource } from "../source.ts";
import { TextLines } from "../text_lines.ts";
import { headerText, readHeader, type VaspHeader } from "./header.ts";

/** XDATCAR: fractional positions of many frames of one system, with one cell or a cell per frame. */
export const xdatcar: StructureFormat = {
  name: "XDATCAR",
  frames: "many",
  read: (source, options) => undamaged(readXdatcar(source, options)),
  readDamaged: readXdatcar,
  write: xdatcarWriter,
};

/** Matches the line before the positions of a frame. */
const CONFIGURATION = /^\s*(direct|konfig)/i;

function* readXdatcar(
  source: StructureSource,
  options: FormatOptions,
): Generator<System | SyntaxError, void> {
  const lines = new TextLines(source, "XDATCAR");
  let header: VaspHeader | undefined, next: string | undefined;
  for (let line = lines.next(); line !== undefined; line = next ?? lines.next()) {
    next = undefined;
    if (!CONFIGURATION.test(line)) {
      if (header !== undefined && line.trim() === "") continue;
      header = readHeader(line, lines, options);
      line = lines.need("Direct configuration=");
      // Old files have an empty line instead.
      if (!CONFIGURATION.test(line) && line.trim() !== "") {
        throw lines.error("Direct configuration= must follow the header");
      }
    } else if (header === undefined) {
      throw lines.error("the file must begin with a comment, the scale and the lattice vectors");
    }
    const { numbers, cell } = header, last = lines.number + numbers.length;
    try {
      const rows = numbers.flatMap((_, i) => lines.numbers(3, `each coordinate of atom ${i + 1}`));
      yield systemOfData({ numbers, positions: toCartesian(rows, cell), cell, pbc: true });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      yield error;
      next = skipFrame(lines, last);
    }
  }
  if (header === undefined) throw lines.error("the file is empty", null);
}

/**
 * Skips the rest of a damaged frame up to the line `last`. If the frame has too few rows, the next one has already begun;
 * its first line is returned then.
 */
function skipFrame(lines: TextLines, last: number): string | undefined {
  const { line } = lines;
  if (CONFIGURATION.test(line) && lines.peek() !== undefined) return line;
  while (lines.number < last && !CONFIGURATION.test(lines.peek() ?? "direct")) lines.next();
  return undefined;
}

function xdatcarWriter(options: FormatOptions): FrameWriter {
  const check = periodicityCheck("XDATCAR", "periodic", options);
  let header = "";
  return textWriter((system, index) => {
    if (system.cell.every((x) => x === 0)) {
      throw new TypeError(
        "Cannot write XDATCAR: the structure has no cell. Write it as .xyz instead",
      );
    }
    check(system);
    const own = `${formulaOf(system)}\n${headerText(system.cell, system.symbols)}`;
    const before = own === header ? "" : own;
    header = own;
    const fractional = toFractional(system.positions, system.cell);
    const rows = system.symbols.map((_, atom) => {
      const at = fractional.subarray(3 * atom, 3 * atom + 3);
      return `  ${Array.from(at, (x) => x.toFixed(12)).join(" ")}\n`;
    });
    return `${before}Direct configuration= ${String(index + 1).padStart(5)}\n${rows.join("")}`;
  });
}

function formulaOf(system: System): string {
  return Array.from(
    Map.groupBy(system.symbols, (symbol) => symbol),
    ([symbol, { length }]) => symbol + length,
  )
    .join("");
}
