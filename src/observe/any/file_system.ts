/**
 * File access of hooks. Web pages have no file system.
 *
 * @module
 */

import { codeOf, refusal } from "../../base/file_refusal.ts";
import { findHost, type Host } from "../../platform/host.ts";

/** Returns the file system. Throws a TypeError that names the hook if there is no file system, as in a web page. */
export function fileSystemFor(hook: string): Host {
  const files = findHost();
  if (files !== undefined) return files;
  throw new TypeError(
    `Cannot open ${hook}: there is no file system, as in a web page`,
  );
}

/**
 * Joins a folder and the names below it with `/`. The path of a URL is decoded, and slashes at the end of the folder
 * are removed.
 */
export function pathIn(folder: string | URL, ...names: readonly string[]): string {
  const base = folder instanceof URL ? decodeURIComponent(folder.pathname) : folder;
  return [base.replace(/(?<=.)\/+$/, ""), ...names].join("/");
}

/**
 * Creates a folder and the folders above it, if they do not exist. If that fails, throws an Error that names the
 * folder.
 */
export async function createFolder(files: Host, path: string): Promise<void> {
  try {
    await files.mkdir(path, { recursive: true });
  } catch (error) {
    throw refusal(`Cannot create folder ${path}`, error);
  }
}

/** Returns whether a file exists; false for any error. */
export async function fileExists(files: Host, path: string): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch {
    return false;
  }
}

/** Removes a file, if it exists. */
export async function removeIfExists(files: Host, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

/**
 * Gives a file a second name with a hard link, or copies it if the file system has no links. The second file is
 * created under a temporary name and then renamed, so that a reader of `also` sees either the old file or the
 * complete new one.
 */
export async function linkAs(files: Host, path: string, also: string): Promise<void> {
  const beside = `${also}.${crypto.randomUUID()}.tmp`;
  try {
    await files.link(path, beside).catch(() => files.copyFile(path, beside));
    await files.rename(beside, also);
  } catch (error) {
    await files.remove(beside).catch(() => {}); // the temporary file may not exist; the first error is more important
    throw error;
  }
}
