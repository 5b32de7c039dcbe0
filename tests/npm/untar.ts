/**
 * Reads tar archives, as `deno publish` uploads them.
 *
 * @module
 */

/** Files of a package: path with a leading slash → content. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** Size of a header, and the unit to which contents are padded. */
const BLOCK = 512;

/** Types of entries: a regular file, which may have no type, and GNU's entry with the name of the next one. */
const REGULAR = ["0", ""], LONG_NAME = "L";

/** Returns the files of a gzipped tar archive. Throws a TypeError for links, folders and repeated paths. */
export async function untar(gzipped: Uint8Array<ArrayBuffer>): Promise<Files> {
  const stream = new Blob([gzipped]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const files = new Map<string, Uint8Array>();
  let longName: string | undefined;
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const header = bytes.subarray(at, at + BLOCK), type = textOf(header, 156, 1);
    const size = Number.parseInt(textOf(header, 124, 12), 8);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === LONG_NAME) {
      longName = textOf(content, 0, size);
      continue;
    }
    const path = `/${(longName ?? textOf(header, 0, 100)).replace(/^\.?\//, "")}`;
    if (!REGULAR.includes(type) || files.has(path)) {
      throw new TypeError(`${path} must be a regular file that occurs once; its type is "${type}"`);
    }
    files.set(path, content);
    longName = undefined;
  }
  return files;
}

/** A field of text, which a zero ends if it is shorter than its place. */
function textOf(bytes: Uint8Array, from: number, length: number): string {
  const text = new TextDecoder().decode(bytes.subarray(from, from + length));
  return text.split("\0", 1)[0]!;
}
