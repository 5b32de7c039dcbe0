/**
 * The header that POSCAR and XDATCAR share: comment, scale, lattice vectors, elements and counts.
 *
 * @module
 */

import { cellVolume } from "../../batch/cell.ts";
import { symbolNumber } from "../element.ts";
import type { FormatOptions } from "../format.ts";
import type { TextLines } from "../text_lines.ts";

/** The header of a VASP file. */
export interface VaspHeader {
  readonly comment: string;
  /** Lattice vectors, Å. */
  readonly cell: Float64Array;
  /** Factors of Cartesian coordinates, one per direction. */
  readonly scale: readonly number[];
  /** Atomic numbers, one per atom. */
  readonly numbers: number[];
}

/** Reads a header whose first line has been read. */
export function readHeader(comment: string, lines: TextLines, options: FormatOptions): VaspHeader {
  const factors = readScale(lines);
  const raw = [1, 2, 3].flatMap(() => lines.numbers(3, "each number of a lattice vector"));
  const scale = factors.length === 3 ? factors : Array(3).fill(scaleOf(factors[0]!, raw, lines));
  const cell = Float64Array.from(raw, (x, i) => x * scale[i % 3]);
  return { comment: comment.trim(), cell, scale, numbers: readElements(comment, lines, options) };
}

/** Reads one factor or three. */
function readScale(lines: TextLines): number[] {
  const words = lines.need("the scale").trim().split(/\s+/);
  const count = words.length >= 3 && words.slice(0, 3).every((word) => Number(word) > 0) ? 3 : 1;
  const factors = words.slice(0, count).map((word) => lines.parse(word, "the scale"));
  if (factors.includes(0)) throw lines.error("the scale must not be 0");
  return factors;
}

/** Returns the factor: a negative scale is the volume of the cell, Å³. */
function scaleOf(scale: number, cell: readonly number[], lines: TextLines): number {
  if (scale > 0) return scale;
  const volume = cellVolume(cell);
  if (volume > 0) return Math.cbrt(-scale / volume);
  throw lines.error("the lattice vectors must span a volume", null);
}

/** Reads the line of elements, which files of VASP 4 do not have, and the line of counts. */
function readElements(comment: string, lines: TextLines, options: FormatOptions): number[] {
  let words = wordsOf(lines.need("the elements or the counts of atoms"));
  let symbols = options.types ?? wordsOf(comment);
  if (!/^\d+$/.test(words[0] ?? "")) {
    symbols = words;
    words = wordsOf(lines.need("the counts of atoms"));
  }
  const counts = countsOf(words, lines);
  if (symbols.length < counts.length) {
    throw lines.error(
      "the elements of the atoms are not in the file: add a line of symbols before the counts, or pass `types`",
    );
  }
  return counts.flatMap((count, i) => {
    // VASP adds the variant of the pseudopotential: Fe_pv, Fe/1234abcd
    const number = symbolNumber(symbols[i]!.replace(/[_/].*$/, ""));
    if (number === undefined) {
      throw lines.error("each group of atoms must have an element", symbols[i]!);
    }
    return Array<number>(count).fill(number);
  });
}

function countsOf(words: readonly string[], lines: TextLines): number[] {
  // A comment may follow the counts.
  const end = words.findIndex((word) => !/^\d+$/.test(word));
  const counts = words.slice(0, end === -1 ? words.length : end).map(Number);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > 0 && total < 1e9) return counts;
  throw lines.error("the counts of atoms must be whole numbers with a sum above 0");
}

function wordsOf(line: string): string[] {
  return line.trim().split(/\s+/);
}

/** Returns the lines of a header, without the comment. */
export function headerText(cell: ArrayLike<number>, symbols: readonly string[]): string {
  const rows = [0, 3, 6].map((at) => `  ${cell[at]} ${cell[at + 1]} ${cell[at + 2]}\n`);
  const groups: [symbol: string, count: number][] = [];
  for (const symbol of symbols) {
    const last = groups.at(-1);
    if (last?.[0] === symbol) last[1]++;
    else groups.push([symbol, 1]);
  }
  return `1.0\n${rows.join("")}  ${groups.map(([symbol]) => symbol).join(" ")}\n  ${
    groups.map(([, count]) => count).join(" ")
  }\n`;
}
