/**
 * Functions of the file system and of compression that a store uses.
 *
 * @module
 */

import { parentOf } from "../../base/durable_folder.ts";
import { codeOf, type OpenFile as AddedToFile } from "../files/open_file.ts";
import { builtin } from "../../platform/process.ts";

/** An open file that is written at any position. */
export interface OpenFile extends Pick<AddedToFile, "read" | "truncate" | "datasync" | "close"> {
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  stat(): Promise<{ readonly size: number }>;
  sync(): Promise<void>;
}

/** Functions of `node:fs/promises` that a store uses. */
export interface FileSystem {
  open(path: string, flags: "r" | "r+" | "w+"): Promise<OpenFile>;
  readFile(path: string): Promise<Uint8Array>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<{ readonly ino: number; readonly mtimeMs: number }>;
  rename(from: string, to: string): Promise<void>;
  mkdir(path: string, options: { readonly recursive: true }): Promise<string | undefined>;
  rm(path: string, options: { readonly recursive: true; readonly force: true }): Promise<void>;
}

/** Functions of `node:zlib` that a store uses. */
export interface Compression {
  readonly constants: { readonly ZSTD_c_compressionLevel: number };
  zstdCompressSync(
    bytes: Uint8Array,
    options: { readonly params: Readonly<Record<number, number>>; readonly chunkSize: number },
  ): Uint8Array;
  zstdDecompressSync(bytes: Uint8Array, options: { readonly maxOutputLength: number }): Uint8Array;
  gunzipSync(bytes: Uint8Array, options: { readonly maxOutputLength: number }): Uint8Array;
}

/** Modules of the host that a store uses: file system and compression. */
export interface Host {
  readonly fs: FileSystem;
  readonly zlib: Compression;
}

/** Loads the modules of the host, which a web page does not have. `action` is the action in the error message. */
export function openHost(action: string): Host {
  try {
    const fs = builtin("node:fs/promises"), zlib = builtin("node:zlib");
    return { fs: fs as unknown as FileSystem, zlib: zlib as unknown as Compression };
  } catch (cause) {
    throw new TypeError(`Cannot ${action}: there is no file system, as in a web page`, {
      cause,
    });
  }
}

/** Returns the bytes of a file, or `undefined` if it does not exist. */
export async function readIfExists(
  fs: Pick<FileSystem, "readFile">,
  path: string,
): Promise<Uint8Array | undefined> {
  try {
    return await fs.readFile(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns a text that changes whenever the file is replaced; `undefined` if the file does not exist. */
export async function markOf(
  fs: Pick<FileSystem, "stat">,
  path: string,
): Promise<string | undefined> {
  try {
    const { ino, mtimeMs } = await fs.stat(path);
    return `${ino} ${mtimeMs}`;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the sorted names in a folder, or `undefined` if the folder does not exist. */
export async function namesIfExists(fs: FileSystem, path: string): Promise<string[] | undefined> {
  try {
    return (await fs.readdir(path)).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes all bytes at a position. The loop is needed because one call may write fewer bytes than requested. */
export async function writeAt(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Returns the folder of a file and the folders above it, up to and including the root of a store. */
export function foldersOf(root: string, path: string): string[] {
  const folders: string[] = [];
  let at = path;
  do {
    at = parentOf(at);
    folders.push(at);
  } while (at !== root && at.startsWith(`${root}/`));
  return folders;
}

/**
 * Replaces a file by a text, entirely or not at all: the text is written to the file `beside`, synced, and
 * renamed once `after` resolves. The new name is on the disk only after the folder is synced, too, which is left to the
 * caller.
 */
export async function replaceText(
  fs: FileSystem,
  path: string,
  { text, beside = `${path}.tmp`, after }: {
    readonly text: string;
    readonly beside?: string;
    readonly after?: Promise<void>;
  },
): Promise<void> {
  try {
    const file = await fs.open(beside, "w+");
    try {
      await writeAt(file, new TextEncoder().encode(text), 0);
      // Before the rename: after a power failure the name must not refer to a file without its content.
      await file.datasync();
    } finally {
      await file.close();
    }
    await after;
    await fs.rename(beside, path);
  } catch (error) {
    await fs.rm(beside, { recursive: true, force: true }).catch(() => {}); // the first error is the cause
    throw error;
  }
}
