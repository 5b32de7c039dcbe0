/**
 * Files that are there whole or not at all.
 *
 * @module
 */

import { findFileSystem } from "./file_system.ts";

/** Are there files here? In a page there are none. */
export function hasFiles(): boolean {
  return findFileSystem() !== undefined;
}

/** Writes beside the file, then renames: whoever reads it sees the old text or the new one. */
export async function writeFile(path: string | URL, text: string): Promise<void> {
  const files = findFileSystem();
  if (files === undefined) {
    throw new TypeError(
      `Cannot write a file: there must be a file system; got none, to be asked for ${path}`,
    );
  }
  const suffix = `.${crypto.randomUUID()}.tmp`;
  const beside = typeof path === "string" ? path + suffix : new URL(path.href + suffix);
  try {
    await files.writeTextFile(beside, text);
    await files.rename(beside, path);
  } catch (error) {
    await files.remove(beside).catch(() => {}); // it may never have been made; the first error says why
    throw error;
  }
}
