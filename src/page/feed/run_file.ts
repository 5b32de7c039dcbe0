/**
 * Files of a run that the page offers for download.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";

/** A file below a folder. */
export interface FoundFile {
  /** Path below the folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
}

/** A file that was checked. */
export interface OpenedFile {
  readonly bytes: number;
  /** Content, which is read as far as the reader takes it. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Most files and folders of a list. */
const MOST = 200, DEEPEST = 4;

/** Names of files that are never offered: a lock, and the secret of machines that train together. */
const WITHHELD: readonly string[] = ["lock", "secret"];

/** Bytes that are read at once. */
const PART = 1 << 16;

/** Returns the regular files below a folder, sorted. Hidden files, locks and links are left out. */
export async function filesIn(folder: string): Promise<FoundFile[]> {
  const { readdir, stat } = builtin("node:fs/promises");
  const found: FoundFile[] = [];
  const walk = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(`${folder}/${below}`, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
      const path = `${below}${entry.name}`;
      if (entry.name.startsWith(".") || found.length >= MOST) continue;
      if (entry.isDirectory() && depth < DEEPEST) await walk(`${path}/`, depth + 1);
      if (!entry.isFile() || WITHHELD.includes(entry.name)) continue;
      const facts = await stat(`${folder}/${path}`).catch(() => undefined);
      if (facts !== undefined) found.push({ path, bytes: facts.size });
    }
  };
  await walk("", 1);
  return found;
}

/**
 * Opens a file below a folder. Returns undefined if there is no such regular file, if a part of the path is hidden or
 * leads up, if the file is withheld, or if a link leads out of the folder.
 */
export async function openFileIn(folder: string, path: string): Promise<OpenedFile | undefined> {
  if (!isPlainPath(path)) return undefined;
  const { realpath, open } = builtin("node:fs/promises"), { sep } = builtin("node:path");
  try {
    const root = await realpath(folder), file = await realpath(`${folder}/${path}`);
    if (!file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return undefined;
    const handle = await open(file, "r");
    const facts = await handle.stat();
    await handle.close();
    return facts.isFile()
      ? { bytes: facts.size, stream: () => streamOf(file, facts.size) }
      : undefined;
  } catch {
    return undefined; // what cannot be read is not offered
  }
}

function isPlainPath(path: string): boolean {
  return path !== "" && !/[\0\\:]/.test(path) &&
    path.split("/").every((part) =>
      part !== "" && !part.startsWith(".") && !WITHHELD.includes(part.toLowerCase())
    );
}

/** Returns the first bytes of a file. What a run appends meanwhile is left out. */
function streamOf(path: string, bytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { open } = builtin("node:fs/promises");
  let left = bytes;
  let file: Awaited<ReturnType<typeof open>> | undefined;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      file ??= await open(path, "r");
      const part = new Uint8Array(Math.min(PART, left));
      const { bytesRead } = await file.read(part, 0, part.length);
      left -= bytesRead;
      if (bytesRead > 0) return controller.enqueue(part.subarray(0, bytesRead));
      await file.close();
      controller.close();
    },
    async cancel() {
      await file?.close();
    },
  }, { highWaterMark: 0 });
}
