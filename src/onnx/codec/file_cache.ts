/**
 * Cache of files in a folder.
 *
 * @module
 */

import { findBuiltin } from "../../platform/process.ts";
import { sourceUrl } from "../session/session_source.ts";

/** Members of Node's file system that are used here. Deno and Bun have them too. */
interface Files {
  mkdir(path: URL, options: { readonly recursive: true }): Promise<unknown>;
  readFile(path: URL): Promise<Uint8Array>;
  writeFile(path: URL, data: Uint8Array): Promise<void>;
  rename(from: URL, to: URL): Promise<void>;
  unlink(path: URL): Promise<void>;
}

/** A cached file with data about it. */
export interface CachedFile {
  /** Bytes of the file. */
  readonly bytes: Uint8Array;
  /** Additional data that JSON can express. */
  readonly note: unknown;
}

/** Cache of files in a folder. Each file has a key and a hash; a file that does not match its hash is ignored. */
export class FileCache {
  readonly #folder: URL;
  readonly #files: Files;
  readonly #ending: string;

  /** Creates a cache whose file names end in `ending`. Throws an Error if the runtime has no file system. */
  constructor(folder: URL | string, ending: string) {
    const files = findBuiltin("node:fs/promises") as Files | undefined;
    if (files === undefined) {
      throw new Error(
        "Cannot keep files in a folder: this runtime has no file system",
      );
    }
    const { href } = typeof folder === "string" ? sourceUrl(folder) : folder;
    this.#folder = new URL(href.endsWith("/") ? href : `${href}/`);
    this.#files = files;
    this.#ending = ending;
  }

  /** Returns the file with a key; `undefined` if it does not exist, cannot be read or is damaged. */
  async read(key: string): Promise<CachedFile | undefined> {
    try {
      const seal = new TextDecoder().decode(await this.#files.readFile(this.#at(`${key}.json`)));
      const { hash, note } = JSON.parse(seal) as { readonly hash: string; readonly note: unknown };
      const found = await this.#files.readFile(this.#at(`${key}${this.#ending}`));
      // Copy, because the file system may return part of a pooled buffer.
      const bytes = new Uint8Array(found);
      return await hashOf(bytes) === hash ? { bytes, note } : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Writes a file and its hash. Concurrent readers get the complete file, or `undefined`. Throws errors of the file
   * system.
   */
  async write(key: string, { bytes, note }: CachedFile): Promise<void> {
    const seal = JSON.stringify({ hash: await hashOf(bytes), note });
    await this.#files.mkdir(this.#folder, { recursive: true });
    await this.#put(`${key}${this.#ending}`, bytes);
    await this.#put(`${key}.json`, new TextEncoder().encode(seal));
  }

  async #put(name: string, bytes: Uint8Array): Promise<void> {
    const part = this.#at(`${name}.${crypto.randomUUID()}.part`);
    try {
      await this.#files.writeFile(part, bytes);
      await this.#files.rename(part, this.#at(name));
    } catch (error) {
      await this.#files.unlink(part).catch(() => {});
      throw error;
    }
  }

  #at(name: string): URL {
    return new URL(name, this.#folder);
  }
}

/** Returns the SHA-256 of the parts in hexadecimal digits. For several parts, it is the hash of their hashes. */
export async function hashOf(...parts: readonly (Uint8Array | string)[]): Promise<string> {
  const bytes = parts.map((part) =>
    typeof part === "string" ? new TextEncoder().encode(part) : part
  );
  const hashes = await Promise.all(
    bytes.map((part) => crypto.subtle.digest("SHA-256", part as Uint8Array<ArrayBuffer>)),
  );
  const hash = hashes.length === 1
    ? hashes[0]!
    : await crypto.subtle.digest("SHA-256", await new Blob(hashes).arrayBuffer());
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
