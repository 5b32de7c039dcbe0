/**
 * Reading of structures from plain or extended XYZ files.
 *
 * @module
 */

import type { Comment } from "./header.ts";
import { reasonOf } from "../../base/show.ts";
import { readComment } from "./header.ts";
import { describe, type Words } from "./frame.ts";
import { bad, LineReader } from "./lines.ts";
import { completeArrays } from "../complete_arrays.ts";
import { type System, systemOfData } from "../system.ts";

/**
 * Reads the frames of a plain or extended XYZ file one by one. At an invalid frame it throws; all earlier frames have
 * been returned by then. Numbers may be NaN or infinite, as in the last frames of a diverged run, although engines
 * refuse such systems.
 *
 * Columns: `species` (or `Z`), `pos`, `vel` (also `velo`, `velocities`; Å/fs), `momenta` (as ASE writes them),
 * `forces`, `masses`, `charge`, `images`, `categories`. Any other column becomes a field of the same name with one
 * row per atom (R: f64, I: i32, L: u8). It becomes a list in `info` if it is text, or if it has a built-in name but
 * another type or width (such as `energy_per_atom`).
 *
 * Keys: `Lattice`, `pbc`, `energy`, `stress` (nine or six numbers), `systemId`, `status`, `stepsDone`, `dofRemoved`.
 * Any other key goes to `info`. A comment that is not a list of keys becomes `info.comment`.
 *
 * @param source text of the file, or an iterable of its lines
 * @throws {SyntaxError} if the file is invalid; the message names the line
 *
 * @example
 *
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

/** Options of {@linkcode parseExtxyz}. */
export interface ParseExtxyzOptions {
  /**
   * Receives a warning for each integer array that only some frames have, and that is 0 in the others.
   *
   * @default console.warn
   */
  readonly onWarning?: (message: string) => void;
}

/**
 * Reads all frames of an XYZ file, as {@linkcode readExtxyz} does, and makes them fit into one batch: an integer
 * array that only some frames have is 0 in the others. A warning names the array and the frames.
 *
 * @throws {SyntaxError} if the file is invalid; the message names the line
 *
 * @example
 * ```ts
 * import { parseExtxyz } from "@hooke/hooke/batch/extxyz";
 * import { assertEquals } from "@std/assert";
 *
 * const [dimer] = parseExtxyz('2\nenergy=-0.5 pbc="F F F"\nAr 0 0 0\nAr 3.8 0 0\n');
 * assertEquals(dimer!.symbols, ["Ar", "Ar"]);
 * assertEquals([dimer!.positions[3], dimer!.energy], [3.8, -0.5]);
 * ```
 */
export function parseExtxyz(
  source: string | Iterable<string>,
  { onWarning }: ParseExtxyzOptions = {},
): System[] {
  return completeArrays([...readExtxyz(source)], onWarning);
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
    throw new SyntaxError(
      `Cannot read extxyz: the frame that begins in line ${firstLine} is not a valid system: ${
        reasonOf(cause)
      }`,
      { cause },
    );
  }
}

/** Reads the rows of a frame, one per atom, and returns their words by column. */
function readRows({ columns, open }: Comment, count: number, lines: LineReader): Words[] {
  const firstLine = lines.number + 1;
  const read = columns.map((column): Words => ({ column, words: [], firstLine }));
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  for (let atom = 0; atom < count; atom++) {
    const line = lines.next();
    if (line === undefined) {
      throw new SyntaxError(
        `Cannot read extxyz: the frame that begins in line ${
          firstLine - 2
        } declares ${count} atoms, but the file ` +
          `ends after ${atom} of them, in line ${lines.number}`,
      );
    }
    const words = wordsOf(line);
    if (open ? words.length < width : words.length !== width) {
      if (atom > 0 && width > 1 && /^\s*[1-9]\d*\s*$/.test(line)) {
        throw bad(
          `the frame that begins in line ${
            firstLine - 2
          } declares ${count} atoms, but another frame seems to begin ` +
            `after ${atom} of them`,
          lines.number,
          line,
        );
      }
      throw bad(`atom ${atom} must have ${width} columns`, lines.number, line);
    }
    let at = 0;
    for (const { column, words: own } of read) {
      for (let i = 0; i < column.width; i++) own.push(words[at++]!);
    }
  }
  return read;
}

/** Matches a row of ASCII without other blanks than spaces. */
const PLAIN = /^[ -~]*$/;

/** Returns the words of a row. Splitting at a regular expression would take most of the time of reading a file. */
// hot
function wordsOf(line: string): string[] {
  if (!PLAIN.test(line)) return line.trim().split(/\s+/);
  const words: string[] = [], { length } = line;
  for (let from = 0; from < length;) {
    const found = line.indexOf(" ", from), to = found === -1 ? length : found;
    if (to > from) words.push(line.slice(from, to));
    from = to + 1;
  }
  return words;
}
