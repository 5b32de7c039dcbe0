/**
 * What hooks do with files, where there are any: in a page there are none.
 *
 * @module
 */

import { findDeno } from "../../platform/host.ts";

/** An open file. */
export interface OpenFile {
  writeSync(bytes: Uint8Array): number;
  close(): void;
}

/** The part of a file system that hooks use; Deno has it. */
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

/** The file system; `undefined` where there is none. */
export function findFileSystem(): FileSystem | undefined {
  return findDeno() as unknown as FileSystem | undefined;
}

/** The file system. Throws a TypeError where there is none. */
export function fileSystemFor(hook: string): FileSystem {
  const files = findFileSystem();
  if (files !== undefined) return files;
  throw new TypeError(
    `Cannot open ${hook}: there is no file system, as in a web page`,
  );
}

/** The path of a file in a folder. */
export function pathIn(folder: string | URL, ...names: readonly string[]): string {
  const base = folder instanceof URL ? decodeURIComponent(folder.pathname) : folder;
  return [base.replace(/(?<=.)\/+$/, ""), ...names].join("/");
}

/** Is there such a file? */
export async function isThere(files: FileSystem, path: string): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch {
    return false;
  }
}

/** Removes a file that may have gone already. */
export async function removeIfThere(files: FileSystem, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch (error) {
    if ((error as { readonly name?: unknown }).name !== "NotFound") throw error;
  }
}

/** Gives a file a second name, or a copy where it cannot have one; whoever reads that finds the old or the new. */
export async function nameAlso(files: FileSystem, path: string, also: string): Promise<void> {
  const beside = `${also}.${crypto.randomUUID()}.tmp`;
  try {
    await files.link(path, beside).catch(() => files.copyFile(path, beside));
    await files.rename(beside, also);
  } catch (error) {
    await files.remove(beside).catch(() => {}); // it may never have been made; the first error says why
    throw error;
  }
}
