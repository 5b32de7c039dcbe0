/**
 * Ends of text files that are not complete records.
 *
 * @module
 */

import { type OpenFile, readAt } from "../files/open_file.ts";
import type { TextFormat } from "./text_format.ts";

/** Number of bytes that are read at a time, and that `isUnfinished` receives first. */
const CHUNK = 1 << 16;
/**
 * Largest size in bytes of an incomplete end that is held in memory. A longer end is removed even if it only lacks
 * its newline.
 */
const MOST_TEXT = 1 << 28;

/** Number of characters of an incomplete line that are kept. */
const LINE_START = 256;

/** The end of a file after its last complete record. */
interface Rest {
  readonly path: string;
  readonly end: number;
  readonly endLine: number;
  readonly size: number;
}

/**
 * Returns the text after the last complete record; an empty text if it is longer than `MOST_TEXT`.
 *
 * @throws {SyntaxError} if the text is not an unfinished record that a killed process left, because it may contain
 * complete records
 */
export async function checkUnfinished<T>(
  format: TextFormat<T>,
  file: Pick<OpenFile, "read">,
  { path, end, endLine, size }: Rest,
): Promise<string> {
  const refuse = (text: string) => {
    const reason = size - end > CHUNK ? undefined : reasonIn(format, text, endLine);
    throw new SyntaxError(
      `Cannot open ${path}: ${
        reason ??
          `line ${endLine} begins a record that is damaged or incomplete, ${
            JSON.stringify(text.slice(0, 60))
          }`
      }`,
    );
  };
  const decoder = new TextDecoder(), kept: string[] = [], lines = new RestLines(format);
  let first = "";
  for (let at = end; at < size; at += CHUNK) {
    const bytes = await readAt(file, at, Math.min(CHUNK, size - at));
    const text = decoder.decode(bytes, { stream: true });
    if (at === end) first = text;
    if (!format.isUnfinished(first) || !lines.areWithin(text)) refuse(first);
    if (size - end <= MOST_TEXT) kept.push(text);
  }
  const text = kept.join("");
  if (text !== "" && !format.isUnfinished(text)) refuse(text);
  if (!text.endsWith("\n") && isWhole(format, text.slice(0, -1))) refuse(text); // a damaged newline
  return text;
}

/** Returns the message of the format about a text that is not a record; `undefined` if the text is one. */
function reasonIn<T>(format: TextFormat<T>, text: string, line: number): string | undefined {
  try {
    format.decode(text.trimEnd(), line);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^Cannot read \w+: /, "");
  }
}

/** The lines after the last complete record, which are checked piece by piece. */
class RestLines<T> {
  readonly #format: TextFormat<T>;
  #number = 0;
  /** The incomplete last line, cut to `LINE_START` characters. */
  #open = "";
  #isCut = false;
  /** The second line of the unfinished record; `undefined` until it is known in full. */
  #second: string | undefined;

  constructor(format: TextFormat<T>) {
    this.#format = format;
  }

  /**
   * Takes the next piece of the text, and returns whether all lines that it completes can be part of one unfinished
   * record.
   */
  areWithin(text: string): boolean {
    const lines = (this.#open + text).split("\n");
    const open = lines.pop()!;
    const areWithin = lines.every((line) => this.#isWithin(line));
    this.#open = open.slice(0, LINE_START); // bounds the memory that a line of any length takes
    this.#isCut ||= open.length > LINE_START;
    return areWithin;
  }

  #isWithin(line: string): boolean {
    const number = this.#number++, isKnown = !this.#isCut;
    this.#isCut = false;
    if (number === 1 && isKnown) this.#second = line;
    if (number === 0 || !isKnown || number > 1 && this.#second === undefined) return true;
    return this.#format.isWithin?.(line, number === 1 ? undefined : this.#second) !== false;
  }
}

/** Returns whether a text is a complete record of Hooke that lacks only its newline. */
export function isWhole<T>(format: TextFormat<T>, text: string): boolean {
  if (text === "" || text !== text.trimEnd()) return false; // a damaged newline may be another blank character
  return format.sumOf?.(`${text}\n`).isRight === true;
}

/** End of the last complete record. */
interface End {
  readonly end: number;
  readonly endLine: number;
}

/** Returns the warning for a part of a record that was removed. */
export function cutWarning(path: string, { end, endLine }: End, size: number): string {
  return `${path} ended with an incomplete record, from line ${endLine} on (${
    size - end
  } bytes), as a killed process leaves it. ` +
    "The record was removed; all records before it are complete";
}

/** Returns the warning for a part of a record that a reader skips. */
export function partWarning(path: string, { end, endLine }: End, size: number): string {
  return `${path} ends with an incomplete record, from line ${endLine} on (${
    size - end
  } bytes), which is not read. ` +
    "Another process was killed, or is still writing";
}
