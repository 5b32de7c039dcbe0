/**
 * File access of hooks. Web pages have no file system.
 *
 * @module
 */

import { refusal } from "../../base/file_refusal.ts";
import { findDeno } from "../../platform/host.ts";

/** An open file. `writeSync` returns the number of bytes that were written. */
export interface OpenFile {
  writeSync(bytes: Uint8Array): number;
  close(): void;
}

/** The part of a file system that hooks use. Deno provides it. */
export interface FileSystem {
  mkdir(path: string | URL, options: { readonly recursive: true }): Promise<void>;
  mkdirSync(path: string | URL, options: { readonly recursive: true }): void;
  openSync(
    path: string | URL,
    options: { readonly append: true; readonly create?: true; readonly createNew?: true },
  ): OpenFile;
  stat(path: string | URL): Promise<{ readonly size: number }>;
  readFile(
    path: string | URL,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Uint8Array<ArrayBuffer>>;
  writeTextFile(path: string | URL, text: string): Promise<void>;
  readTextFileSync(path: string | URL): string;
  remove(path: string | URL): Promise<void>;
  rename(from: string | URL, to: string | URL): Promise<void>;
  link(from: string, to: string): Promise<void>;
  copyFile(from: string | URL, to: string | URL): Promise<void>;
}

/** Returns the file system, or `undefined` in a web page. */
export function findFileSystem(): FileSystem | undefined {
  return findDeno() as unknown as FileSystem | undefined;
}

/** Returns the file system. Throws a TypeError in a web page. */
export function fileSystemFor(hook: string): FileSystem {
  const files = findFileSystem();
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
export async function createFolder(files: FileSystem, path: string): Promise<void> {
  try {
    await files.mkdir(path, { recursive: true });
  } catch (error) {
    throw refusal(`Cannot create folder ${path}`, error);
  }
}

/** Returns whether a file exists; false for any error. */
export async function fileExists(files: FileSystem, path: string): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch {
    return false;
  }
}

/** Removes a file, if it exists. */
export async function removeIfExists(files: FileSystem, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch (error) {
    if ((error as { readonly name?: unknown }).name !== "NotFound") throw error;
  }
}

/**
 * Gives a file a second name with a hard link, or copies it if the file system has no links. The second file is
 * created under a temporary name and then renamed, so that a reader of `also` sees either the old file or the
 * complete new one.
 */
export async function linkAs(files: FileSystem, path: string, also: string): Promise<void> {
  const beside = `${also}.${crypto.randomUUID()}.tmp`;
  try {
    await files.link(path, beside).catch(() => files.copyFile(path, beside));
    await files.rename(beside, also);
  } catch (error) {
    await files.remove(beside).catch(() => {}); // it may not exist; the first error is more important
    throw error;
  }
}
