/**
 * Files that are kept for the next time, in a folder of the user's.
 *
 * @module
 */

import { findProcess } from "../session/find_process.ts";
import { sourceUrl } from "../session/session_source.ts";

/** What is used of Node's file system, which Deno and Bun have as well. */
interface Files {
  mkdir(path: URL, options: { readonly recursive: true }): Promise<unknown>;
  readFile(path: URL): Promise<Uint8Array>;
  writeFile(path: URL, data: Uint8Array): Promise<void>;
  rename(from: URL, to: URL): Promise<void>;
  unlink(path: URL): Promise<void>;
}

/** Bytes, and what is to be known of them besides. */
export interface CachedFile {
  /** The file. */
  readonly bytes: Uint8Array;
  /** What goes with it: anything that JSON can say. */
  readonly note: unknown;
}

/** A folder of files by their keys. */
export class FileCache {
  readonly #folder: URL;
  readonly #files: Files;
  readonly #ending: string;

  /** Throws an Error where there is no file system. */
  constructor(folder: URL | string, ending: string) {
    const files = findProcess()?.getBuiltinModule?.("node:fs/promises");
    if (files === undefined) {
      throw new Error(
        "Cannot keep files in a folder as there must be a file system: there is none",
      );
    }
    const { href } = typeof folder === "string" ? sourceUrl(folder) : folder;
    this.#folder = new URL(href.endsWith("/") ? href : `${href}/`);
    this.#files = files as Files;
    this.#ending = ending;
  }

  /** What is kept under a key; `undefined` for what is not there, and for what is not as it was written. */
  async read(key: string): Promise<CachedFile | undefined> {
    try {
      const seal = new TextDecoder().decode(await this.#files.readFile(this.#at(`${key}.json`)));
      const { hash, note } = JSON.parse(seal) as { readonly hash: string; readonly note: unknown };
      const found = await this.#files.readFile(this.#at(`${key}${this.#ending}`));
      const bytes = new Uint8Array(found); // on its own memory, whatever the file system pools
      return await hashOf(bytes) === hash ? { bytes, note } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps something: whoever reads meanwhile finds all of it, or nothing. Throws what the file system does. */
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

/** SHA-256 of some parts (of more than one, that of their own), in hexadecimal. */
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
