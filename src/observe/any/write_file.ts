/**
 * Files that are replaced atomically.
 *
 * @module
 */

import { refusal } from "../../base/file_refusal.ts";
import { findHost } from "../../platform/host.ts";
import { pathIn } from "./file_system.ts";

/** Returns whether there is a file system. Web pages do not have one. */
export function hasFiles(): boolean {
  return findHost() !== undefined;
}

/**
 * Replaces a file: writes a temporary file in the same folder, then renames it, so that a reader sees either the old
 * text or the new one.
 */
export async function writeFile(path: string | URL, text: string): Promise<void> {
  const files = findHost();
  if (files === undefined) {
    throw new TypeError(
      `Cannot write ${path}: there is no file system, as in a web page`,
    );
  }
  const suffix = `.${crypto.randomUUID()}.tmp`;
  const beside = typeof path === "string" ? path + suffix : new URL(path.href + suffix);
  try {
    await files.writeTextFile(beside, text);
    await files.rename(beside, path);
  } catch (error) {
    await files.remove(beside).catch(() => {}); // the temporary file may not exist; the first error is more important
    throw refusal(`Cannot write ${pathIn(path)}`, error);
  }
}
