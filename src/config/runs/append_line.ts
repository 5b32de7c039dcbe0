/**
 * A line at the end of a file, in one write.
 *
 * @module
 */

import { type DenoHost, type HostFile, mayRead } from "../host.ts";

const FROM_END = 2;
const NEWLINE = 10;

/**
 * Appends a line, its newline included, to a file, which is made if it is not there. It is one write, so that lines of
 * several processes do not mix. A process that is killed during the write may leave a part of the line: the next append
 * ends it first, if the file can be read, so that it does not spoil the line behind it.
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
