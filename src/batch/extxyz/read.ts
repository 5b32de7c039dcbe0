/**
 * Structures from XYZ files, plain or extended.
 *
 * @module
 */

import type { Comment } from "./header.ts";
import { readComment } from "./header.ts";
import { describe, type Words } from "./frame.ts";
import { bad, LineReader } from "./lines.ts";
import { type System, systemOfData } from "../system.ts";

/**
 * Reads the frames of an XYZ file, plain or extended, one by one. A frame that is wrong in any way throws, and gives
 * nothing; those before it were whole. Numbers may be NaN or infinite, as in the last frames of a run that has diverged:
 * engines refuse such a system.
 *
 * Columns: `species` (or `Z`), `pos`, `vel` (also `velo`, `velocities`; Å/fs), `momenta` (as ASE writes them),
 * `forces`, `masses`, `charge`, `images`, `categories`; any other is a field per atom of that name (R: f64, I: i32, L: u8)
 * or, if it is text, a list in `info` (`energy_per_atom` for a column with the name of something else). Keys: `Lattice`, `pbc`, `energy`, `stress` (nine numbers or six),
 * `systemId`, `status`, `stepsDone`, `dofRemoved`; any other goes into `info`. A comment that is no list of keys is
 * `info.comment`.
 *
 * @param source the text, or its lines
 * @throws {SyntaxError} for a bad file, naming the line
 *
 * @example
 * ```ts
 * import { readExtxyz } from "@hooke/hooke/batch/extxyz";
 * import { assertEquals } from "@std/assert";
 *
 * const text = `2
 * Lattice="20 0 0 0 20 0 0 0 20" Properties=species:S:1:pos:R:3:tag:I:1 energy=-0.0104 label=dimer
 * Ar 0.0 0.0 0.0 7
 * Ar 3.8 0.0 0.0 8
 * `;
 * for (const system of readExtxyz(text)) {
 *   assertEquals(system.energy, -0.0104);
 *   assertEquals([...system.get("tag")], [7, 8]);
 *   assertEquals(system.info.label, "dimer");
 * }
 * ```
 */
export function* readExtxyz(source: string | Iterable<string>): Generator<System, void> {
  const lines = new LineReader(source);
  for (;;) {
    const header = lines.nextUnlessBlank();
    if (header === undefined) return;
    yield readFrame(header, lines);
  }
}

/**
 * All frames of an XYZ file: {@linkcode readExtxyz} to the end.
 *
 * @throws {SyntaxError} for a bad file, naming the line
 */
export function parseExtxyz(source: string | Iterable<string>): System[] {
  return [...readExtxyz(source)];
}

function readFrame(header: string, lines: LineReader): System {
  const firstLine = lines.number;
  if (!/^\s*0*[1-9]\d{0,9}\s*$/.test(header)) {
    throw bad("a frame must begin with its number of atoms, 1 or more", firstLine, header);
  }
  const count = Number(header);
  const line = lines.next();
  if (line === undefined) throw bad("a comment must follow the number of atoms", firstLine, header);
  const comment = readComment(line, lines.number);
  const words = readRows(comment, count, lines);
  try {
    return systemOfData(describe(comment.pairs, words));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SyntaxError(
      `Cannot read extxyz as a frame must be a system: line ${firstLine} begins one that is not; ${reason}`,
      { cause },
    );
  }
}

/** The words of all rows, by column. */
function readRows({ columns, open }: Comment, count: number, lines: LineReader): Words[] {
  const firstLine = lines.number + 1;
  const read = columns.map((column): Words => ({ column, words: [], firstLine }));
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  for (let atom = 0; atom < count; atom++) {
    const line = lines.next();
    if (line === undefined) {
      throw new SyntaxError(
        `Cannot read extxyz as the frame must have ${count} atoms: line ${lines.number} is the last, after ${atom}`,
      );
    }
    const words = line.trim().split(/\s+/);
    if (open ? words.length < width : words.length !== width) {
      throw bad(`atom ${atom} must have ${width} columns`, lines.number, line);
    }
    let at = 0;
    for (const { column, words: own } of read) {
      for (let i = 0; i < column.width; i++) own.push(words[at++]!);
    }
  }
  return read;
}
