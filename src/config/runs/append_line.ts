/**
 * Appending of a line to a file with a single write.
 *
 * @module
 */

import { parentOf } from "../../base/durable_folder.ts";
import { codeOf } from "../../base/file_refusal.ts";
import { printWarning } from "../../base/print_warning.ts";
import { lineWarning } from "../../sinks/files/file_end.ts";
import { type Host, type HostFile, mayRead } from "../../platform/host.ts";

const FROM_START = 0;
const NEWLINE = 10;

/** Size of the blocks in which the last newline is searched, in bytes. */
const BLOCK = 4096;

/**
 * Appends a line, given with its newline, to a file, which is created if it does not exist. If `makesFolder` is true,
 * its folder is created, too.
 *
 * The line is a single write, so lines of several processes do not mix. A process that is killed during the write may
 * leave a partial line, because Linux can stop between two pages. The next append removes the partial line with a
 * warning. If the last line is complete JSON that only lacks its newline, the next append adds the newline instead.
 * Both repairs need permission to read the file.
 */
export function appendLine(
  host: Host,
  path: string | URL,
  line: string,
  { makesFolder }: { readonly makesFolder: boolean },
): void {
  const read = mayRead(host, path);
  const open = () => host.openSync(path, { append: true, create: true, read });
  let file: HostFile;
  try {
    file = open();
  } catch (error) {
    if (!makesFolder || codeOf(error) !== "ENOENT") throw error;
    const text = path instanceof URL ? decodeURIComponent(path.pathname) : path;
    host.mkdirSync(parentOf(text), { recursive: true });
    file = open();
  }
  // `using` is avoided, because some browsers that load this file cannot parse it.
  try {
    const text = read && !endLastLine(file, path) ? `\n${line}` : line;
    let bytes = new TextEncoder().encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(file.writeSync(bytes));
  } finally {
    file.close();
  }
}

/** Removes a partial last line. Returns false if the last line is complete and only lacks its newline. */
function endLastLine(file: HostFile, path: string | URL): boolean {
  const { size } = file.statSync();
  let start = size;
  const parts: Uint8Array[] = [];
  while (start > 0) {
    const part = readAt(file, Math.max(0, start - BLOCK), start);
    const newline = part.lastIndexOf(NEWLINE);
    parts.unshift(part.subarray(newline + 1));
    start -= part.length - (newline + 1);
    if (newline !== -1) break;
  }
  if (start === size) return true;
  if (isJson(new TextDecoder().decode(join(parts)))) return false;
  file.truncateSync(start);
  printWarning(lineWarning(path, size - start));
  return true;
}

function readAt(file: HostFile, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  file.seekSync(start, FROM_START);
  let done = 0;
  while (done < bytes.length) {
    const count = file.readSync(bytes.subarray(done));
    if (count === null) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
