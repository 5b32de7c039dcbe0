/**
 * A line at the end of a file, in one write.
 *
 * @module
 */

import { type DenoHost, type HostFile, mayRead } from "../host.ts";

const FROM_END = 2;
const NEWLINE = 10;

/**
 * Appends a line, its newline included, to a file, which is made if it is not there. One write, so that a kill, or
 * another process that appends, finds it whole. A last line that somebody left unfinished is ended first, where
 * the file may be read: it must not spoil this one.
 */
export function appendLine(deno: DenoHost, path: string | URL, line: string): void {
  const read = mayRead(deno, path);
  const file = deno.openSync(path, { append: true, create: true, read });
  // Not `using`: not every browser can parse it, and this is loaded there, too.
  try {
    const text = read && isUnfinished(file) ? `\n${line}` : line;
    let bytes = new TextEncoder().encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(file.writeSync(bytes));
  } finally {
    file.close();
  }
}

function isUnfinished(file: HostFile): boolean {
  if (file.statSync().size === 0) return false;
  const last = new Uint8Array(1);
  file.seekSync(-1, FROM_END);
  return file.readSync(last) === 1 && last[0] !== NEWLINE;
}
