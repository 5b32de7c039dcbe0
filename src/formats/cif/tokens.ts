/**
 * Splitting of CIF text into words, by the syntax of CIF 1.1 and mmCIF.
 *
 * @module
 */

import type { TextLines } from "../text_lines.ts";

/** A word of a CIF file. `quoted` words are values even if they look like keywords. */
export interface Word {
  readonly text: string;
  readonly quoted: boolean;
  /** Number of the line in which the word begins. */
  readonly line: number;
}

/** A quoted string ends at a quote that white space or the end of the line follows; `#` begins a comment. */
const WORD = /'((?:[^']|'(?=\S))*)'(?=\s|$)|"((?:[^"]|"(?=\S))*)"(?=\s|$)|(#.*)|(\S+)/g;

/** Yields the words of a CIF file. */
export function* wordsOf(lines: TextLines): Generator<Word, void> {
  for (;;) {
    const line = lines.next();
    if (line === undefined) return;
    const number = lines.number;
    if (line.startsWith(";")) {
      yield { text: readTextField(line.slice(1), lines), quoted: true, line: number };
      continue;
    }
    for (const [, single, double, comment, bare] of line.matchAll(WORD)) {
      if (comment !== undefined) break;
      const quoted = single ?? double;
      yield { text: quoted ?? bare!, quoted: quoted !== undefined, line: number };
    }
  }
}

/** Reads the lines of a text field up to the line that begins with a semicolon. */
function readTextField(first: string, lines: TextLines): string {
  const texts = [first];
  for (;;) {
    const line = lines.need("a line with a semicolon, which ends the text field,");
    if (line.startsWith(";")) return texts.join("\n");
    texts.push(line);
  }
}
