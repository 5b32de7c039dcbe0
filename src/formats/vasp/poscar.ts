/**
 * The format POSCAR of VASP, which CONTCAR files have, too.
 *
 * @module
 */

import { printWarning } from "../../base/print_warning.ts";
import { MOVE_MASK } from "../../batch/fields/fields.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import type { SystemInput, UserField } from "../../batch/system_input.ts";
import {
  type FormatOptions,
  type FrameWriter,
  type StructureFormat,
  textWriter,
} from "../format.ts";
import { periodicityCheck } from "../periodicity.ts";
import { toCartesian } from "../fractional.ts";
import type { StructureSource } from "../source.ts";
import { TextLines } from "../text_lines.ts";
import { headerText, readHeader, type VaspHeader } from "./header.ts";

/** POSCAR and CONTCAR: one structure, with flags of selective dynamics as `move_mask`, and velocities. */
export const poscar: StructureFormat = {
  name: "POSCAR",
  frames: "one",
  read: readPoscar,
  write: poscarWriter,
};

function* readPoscar(source: StructureSource, options: FormatOptions): Generator<System, void> {
  const lines = new TextLines(source, "POSCAR");
  const header = readHeader(lines.need("the comment"), lines, options);
  let mode = lines.need("Direct or Cartesian").trim();
  const isSelective = /^s/i.test(mode);
  if (isSelective) mode = lines.need("Direct or Cartesian").trim();
  const { rows, flags } = readAtoms(header.numbers.length, isSelective, lines);
  const velocities = readVelocities(header, lines, options);
  const input: SystemInput = {
    numbers: header.numbers,
    positions: positionsOf(rows, mode, header),
    cell: header.cell,
    pbc: true,
    info: header.comment === "" ? {} : { comment: header.comment },
    ...velocities !== undefined && { velocities },
    ...flags !== undefined && { fields: { [MOVE_MASK]: flags } },
  };
  yield systemOfData(input);
}

/** Coordinates are Cartesian if the line begins with C or K, and fractional otherwise. */
function isCartesian(mode: string): boolean {
  return /^[ck]/i.test(mode);
}

function positionsOf(
  rows: readonly number[],
  mode: string,
  { cell, scale }: VaspHeader,
): ArrayLike<number> {
  return isCartesian(mode) ? rows.map((x, i) => x * scale[i % 3]!) : toCartesian(rows, cell);
}

function readAtoms(
  count: number,
  isSelective: boolean,
  lines: TextLines,
): { readonly rows: number[]; readonly flags: UserField | undefined } {
  const rows: number[] = [], flags: number[] = [];
  for (let atom = 0; atom < count; atom++) {
    const words = lines.need(`atom ${atom + 1} of ${count}`).trim().split(/\s+/);
    for (let k = 0; k < 3; k++) rows.push(lines.parse(words[k], "each coordinate"));
    if (!isSelective) continue;
    for (const word of [words[3], words[4], words[5]]) {
      if (!/^\.?[tf]/i.test(word ?? "")) {
        throw lines.error("three flags, T or F, must follow the coordinates (selective dynamics)");
      }
      flags.push(/^\.?t/i.test(word!) ? 1 : 0);
    }
  }
  return { rows, flags: isSelective ? maskOf(flags) : undefined };
}

/** Returns one flag per atom if the three flags of each atom are equal, and otherwise three. */
function maskOf(flags: readonly number[]): UserField {
  const isUniform = flags.every((flag, i) => flag === flags[i - i % 3]);
  return {
    values: isUniform ? flags.filter((_, i) => i % 3 === 0) : flags,
    level: "node",
    dtype: "u8",
    width: isUniform ? 1 : 3,
    fill: 1,
  };
}

/** Reads velocities, Å/fs, if the file has any. The block of lattice velocities before them is skipped. */
function readVelocities(
  { numbers: { length } }: VaspHeader,
  lines: TextLines,
  { onWarning = printWarning }: FormatOptions,
): number[] | undefined {
  let mode = lines.next();
  if (/^\s*l/i.test(mode ?? "")) {
    for (let i = 0; i < 7; i++) lines.need("the lattice velocities");
    mode = lines.next();
  }
  const first = lines.peek();
  if (mode === undefined || first === undefined || first.trim() === "") return undefined;
  if (mode.trim() !== "" && !isCartesian(mode.trim())) {
    onWarning(
      `${
        lines.error("velocities in fractional coordinates depend on POTIM and are not read").message
      }`,
    );
    return undefined;
  }
  return Array.from({ length }, () => lines.numbers(3, "each velocity")).flat();
}

function poscarWriter(options: FormatOptions): FrameWriter {
  const check = periodicityCheck("POSCAR", "periodic", options);
  return textWriter((system) => {
    check(system);
    return poscarText(system);
  });
}

function poscarText(system: System): string {
  if (system.cell.every((x) => x === 0)) {
    throw new TypeError("Cannot write POSCAR: the structure has no cell. Write it as .xyz instead");
  }
  const { positions } = system;
  const mask = system.has(MOVE_MASK) ? system.get(MOVE_MASK) : undefined;
  const width = mask === undefined ? 0 : mask.length / system.nodeCount;
  const rows = system.symbols.map((_, atom) => {
    const flags = mask === undefined
      ? ""
      : [0, 1, 2].map((k) => mask[atom * width + (width === 1 ? 0 : k)] === 0 ? " F" : " T").join(
        "",
      );
    return `  ${row(positions, atom)}${flags}\n`;
  });
  const comment = typeof system.info.comment === "string" ? system.info.comment : system.toString();
  return `${comment.replaceAll(/[\r\n]+/g, " ")}\n${headerText(system.cell, system.symbols)}${
    mask === undefined ? "" : "Selective dynamics\n"
  }Cartesian\n${rows.join("")}${velocitiesText(system)}`;
}

function velocitiesText(system: System): string {
  if (!system.has("velocities")) return "";
  const velocities = system.get("velocities");
  return `\n${system.symbols.map((_, atom) => `  ${row(velocities, atom)}\n`).join("")}`;
}

function row(values: ArrayLike<number>, atom: number): string {
  return `${values[3 * atom]} ${values[3 * atom + 1]} ${values[3 * atom + 2]}`;
}
