/**
 * The bytes of a structure file, in memory or on disk.
 *
 * @module
 */

import { refusal } from "../base/file_refusal.ts";
import { findHost } from "../platform/host.ts";

/** Number of bytes that are read at once. */
const CHUNK = 1 << 18;

/** The contents of a structure file. */
export interface StructureSource {
  /** Name of the file in messages. */
  readonly name: string;
  /** Number of bytes. */
  readonly size: number;
  /** Returns `length` bytes from `offset`, or fewer at the end of the file. */
  bytes(offset: number, length: number): Uint8Array<ArrayBuffer>;
  /** Yields the lines of the text. */
  lines(): Iterable<string>;
}

/** An open file as a source. */
export interface FileSource extends StructureSource {
  /** Closes the file. */
  close(): void;
}

/** Returns a source that reads from memory. */
export function sourceOf(
  contents: string | Uint8Array,
  name: string = "the text",
): StructureSource {
  const all = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
  return withLines(name, all.length, (offset, length) => all.slice(offset, offset + length));
}

/**
 * Opens a file as a source.
 *
 * @throws {TypeError} if there is no file system
 * @throws {Error} if the file system refuses, with its `code`
 */
export function openSource(path: string): FileSource {
  const host = findHost();
  if (host === undefined) {
    throw new TypeError(`Cannot open ${path}: there is no file system, as in a web page`);
  }
  try {
    const file = host.openSync(path, { read: true });
    const read = (offset: number, length: number) => {
      const bytes = new Uint8Array(length);
      file.seekSync(offset, 0);
      let filled = 0;
      for (;;) {
        const count = filled < length ? file.readSync(bytes.subarray(filled)) : null;
        if (count === null || count === 0) return bytes.slice(0, filled);
        filled += count;
      }
    };
    return { ...withLines(path, file.statSync().size, read), close: () => file.close() };
  } catch (cause) {
    throw refusal(`Cannot open ${path}`, cause);
  }
}

function withLines(
  name: string,
  size: number,
  bytes: (offset: number, length: number) => Uint8Array<ArrayBuffer>,
): StructureSource {
  const source: StructureSource = { name, size, bytes, lines: () => linesOf(source) };
  return source;
}

/** Yields the lines of a text without their ends. It reads the text in chunks, so large files need little memory. */
function* linesOf({ size, bytes }: StructureSource): Generator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for (let at = 0; at < size; at += CHUNK) {
    const isLast = at + CHUNK >= size;
    rest += decoder.decode(bytes(at, CHUNK), { stream: !isLast });
    // A CR at the end of a chunk may belong to a CR LF, so it waits for the next chunk.
    const end = !isLast && rest.endsWith("\r") ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
    rest = lines.pop()! + rest.slice(end);
    yield* lines;
  }
  if (rest !== "") yield rest;
}
