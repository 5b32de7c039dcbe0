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
  read: readXdatcar,
  write: xdatcarWriter,
};

function* readXdatcar(source: StructureSource, options: FormatOptions): Generator<System, void> {
  const lines = new TextLines(source, "XDATCAR");
  let header: VaspHeader | undefined;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (!/^\s*(direct|konfig)/i.test(line)) {
      if (header !== undefined && line.trim() === "") continue;
      header = readHeader(line, lines, options);
      line = lines.need("Direct configuration=");
      // Old files have an empty line instead.
      if (!/^\s*(direct|konfig)/i.test(line) && line.trim() !== "") {
        throw lines.error("Direct configuration= must follow the header");
      }
    } else if (header === undefined) {
      throw lines.error("the file must begin with a comment, the scale and the lattice vectors");
    }
    const { numbers, cell } = header;
    const rows = numbers.flatMap((_, i) => lines.numbers(3, `each coordinate of atom ${i + 1}`));
    yield systemOfData({ numbers, positions: toCartesian(rows, cell), cell, pbc: true });
  }
  if (header === undefined) throw lines.error("the file is empty", null);
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
