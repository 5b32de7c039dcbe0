/**
 * Files inside a folder, once symbolic links are resolved.
 *
 * @module
 */

import { findBuiltin } from "./process.ts";

/** The members of Node's file system that are used here; Deno and Bun have them as well. */
interface Files {
  realpathSync(path: URL): string;
  statSync(path: string): { isFile(): boolean };
}

function findFiles(): Files | undefined {
  return findBuiltin("node:fs");
}

/**
 * Returns the path of a file with slashes and with symbolic links resolved; `undefined` if there is no file system.
 * Throws the error of the file system, for example if the file does not exist.
 */
export function realPathOf(file: URL): string | undefined {
  return findFiles()?.realpathSync(file).replaceAll("\\", "/");
}

/**
 * Returns whether a path is inside a folder. The path must be resolved already; symbolic links of the folder are
 * resolved here.
 */
export function isInFolder(path: string, folder: URL): boolean {
  let root = decodeURIComponent(folder.pathname);
  try {
    root = realPathOf(folder) ?? root;
  } catch {
    // A folder whose links may not be read is compared by its given path.
  }
  return path.startsWith(root.replace(/\/*$/, "/"));
}

/** Returns whether a resolved path is a regular file. Reading a device or a pipe might never end. */
export function isRegularFile(path: string): boolean {
  return findFiles()!.statSync(path).isFile();
}
