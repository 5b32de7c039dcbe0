/**
 * A line at the end of a file, in one write.
 *
 * @module
 */

import { type DenoHost, mayRead } from "./host.ts";

const FROM_END = 2;
const NEWLINE = 10;

/**
 * Appends a line, its newline included, to a file, which is made if it is not there. One write, so that a kill, or
 * another process that appends, finds it whole. A last line that somebody left unfinished is ended first, where
 * the file may be read: it must not spoil this one.
 */
export function appendLine(deno: DenoHost, path: string | URL, line: string): void {
  const read = mayRead(deno, path);
  using file = deno.openSync(path, { append: true, create: true, read });
  let isUnfinished = false;
  if (read && file.statSync().size > 0) {
    const last = new Uint8Array(1);
    file.seekSync(-1, FROM_END);
    isUnfinished = file.readSync(last) === 1 && last[0] !== NEWLINE;
  }
  let bytes = new TextEncoder().encode(isUnfinished ? `\n${line}` : line);
  while (bytes.length > 0) bytes = bytes.subarray(file.writeSync(bytes));
}
