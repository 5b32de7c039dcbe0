/**
 * Reading of extended XYZ files with damaged frames.
 *
 * @module
 */

import { readExtxyz } from "../batch/extxyz/read.ts";
import type { System } from "../batch/system.ts";
import { type StructureFormat, undamaged } from "./format.ts";
import type { StructureSource } from "./source.ts";
import { TextLines } from "./text_lines.ts";

/**
 * Extended XYZ whose damaged frames are reported one by one. A frame ends where a line has only a number of atoms,
 * so the next frame is found even if a frame has more or fewer rows than it declares.
 */
export const DAMAGED_EXTXYZ: StructureFormat = {
  name: "extended XYZ",
  frames: "many",
  read: (source) => undamaged(readFrames(source)),
  readDamaged: (source) => readFrames(source),
};

/** Matches the first line of a frame. */
const COUNT = /^\s*0*[1-9]\d{0,9}\s*$/;

function* readFrames(source: StructureSource): Generator<System | SyntaxError, void> {
  const lines = new TextLines(source, "extended XYZ");
  for (let line = lines.nextUnlessBlank(); line !== undefined; line = lines.nextUnlessBlank()) {
    const first = lines.number;
    if (!COUNT.test(line)) {
      const error = lines.error("a frame must begin with its number of atoms, 1 or more", line);
      skipRows(lines);
      yield error;
      continue;
    }
    const count = Number(line), frame = [line];
    const comment = lines.next();
    if (comment !== undefined) frame.push(comment);
    const isWide = !/(^|\s)Properties=/.test(comment ?? "") ||
      /Properties=\S*pos:R:3/.test(comment!);
    for (let row = 0; row < count; row++) {
      const next = lines.peek();
      // A row has more than one column, so that this is the number of atoms of the next frame.
      if (next === undefined || isWide && COUNT.test(next)) break;
      frame.push(lines.next()!);
    }
    const rows = frame.length - 2, rest = lines.peek();
    if (rest !== undefined && rest.trim() !== "" && !COUNT.test(rest)) {
      const more = skipRows(lines);
      yield new SyntaxError(
        `Cannot read ${source.name}: the frame that begins in line ${first} declares ${count} atoms, but has ${
          rows + more
        } rows`,
      );
    } else if (rows < count) {
      yield new SyntaxError(
        `Cannot read ${source.name}: the frame that begins in line ${first} declares ${count} atoms, but has ${
          Math.max(0, rows)
        } rows`,
      );
    } else yield frameOf(frame, first, source.name);
  }
}

/** Skips lines until a frame or the file ends. Returns the number of lines that are not blank. */
function skipRows(lines: TextLines): number {
  let count = 0;
  for (let next = lines.peek(); next !== undefined && !COUNT.test(next); next = lines.peek()) {
    if (lines.next()!.trim() !== "") count++;
  }
  return count;
}

function frameOf(frame: readonly string[], first: number, name: string): System | SyntaxError {
  try {
    return [...readExtxyz(frame)][0]!;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return [...readExtxyz(atLine(frame, first))][0]!;
  } catch (error) {
    const { message } = error as Error;
    return new SyntaxError(message.replace(/^Cannot read extxyz/, `Cannot read ${name}`), {
      cause: error,
    });
  }
}

/** Yields blank lines before a frame, so that errors count lines from the beginning of the file. */
function* atLine(frame: readonly string[], first: number): Generator<string, void> {
  for (let i = 1; i < first; i++) yield "";
  yield* frame;
}
