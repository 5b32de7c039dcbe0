/**
 * Counts the code of the package: lines without blank lines and comments, per room of `src`.
 *
 * @module
 */

import { ROOT } from "../check/entry_points.ts";
import { roomOf } from "./rooms.ts";
import { sourceFiles } from "./source_files.ts";

/** The amount of code in some files. */
export interface CodeSize {
  readonly files: number;
  /** Lines that hold code. */
  readonly lines: number;
  /** Characters of code without white space: unlike lines, they do not depend on the formatter. */
  readonly characters: number;
}

/** Comments, and strings and templates, inside which nothing is a comment. */
const TOKENS =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/** Returns the size of one source text. */
export function codeSize(text: string): CodeSize {
  const code = text.replace(TOKENS, (token) => token.startsWith("/") ? " " : token);
  const lines = code.split("\n").filter((line) => line.trim() !== "").length;
  return { files: 1, lines, characters: code.replace(/\s+/g, "").length };
}

/** Returns the size of each room, largest first. Generated files do not count. */
export function sizeOfRooms(sources: ReadonlyMap<string, string>): [room: string, CodeSize][] {
  const rooms = new Map<string, CodeSize>();
  for (const [file, text] of sources) {
    const room = roomOf(file);
    if (room === undefined || file.endsWith(".gen.ts") || !file.endsWith(".ts")) continue;
    rooms.set(room, sum(rooms.get(room), codeSize(text)));
  }
  return [...rooms].sort(([, a], [, b]) => b.lines - a.lines);
}

function sum(a: CodeSize = { files: 0, lines: 0, characters: 0 }, b: CodeSize): CodeSize {
  return {
    files: a.files + b.files,
    lines: a.lines + b.lines,
    characters: a.characters + b.characters,
  };
}

function row(name: string, { files, lines, characters }: CodeSize): string {
  return [name.padEnd(12), ...[files, lines, characters].map((n) => String(n).padStart(9))].join(
    "",
  );
}

if (import.meta.main) {
  const [folder] = Deno.args;
  const root = folder === undefined ? ROOT : new URL(`file://${await Deno.realPath(folder)}/`);
  const files = (await sourceFiles(root)).filter((file) => roomOf(file) !== undefined);
  const rooms = sizeOfRooms(
    new Map(
      await Promise.all(
        files.map(async (file): Promise<[string, string]> => [
          file,
          await Deno.readTextFile(new URL(file, root)),
        ]),
      ),
    ),
  );
  const all = rooms.map(([, size]) => size).reduce((a, b) => sum(a, b));
  console.log("room            files    lines  characters");
  for (const [room, size] of [...rooms, ["all", all] as const]) console.log(row(room, size));
}
