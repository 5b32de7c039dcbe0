/**
 * Files on a web server, read in parts by range requests, as the readers of stores expect files.
 *
 * @module
 */

import { inflate } from "../../../formats/npz/inflate.ts";
import type { FileSystem, Host, OpenFile } from "../../../sinks/zarr/files.ts";
import { requested } from "./requested.ts";
import { unpackZstd } from "./zstd/zstd.ts";

/** Number of bytes that are fetched at once. */
const BLOCK = 1 << 17;

/** Largest number of bytes that are kept. */
const KEPT = 1 << 26;

/** A file of which some blocks are known. */
interface RemoteFile {
  readonly size: number;
  /** Blocks by their index, or the whole file under −1 if the server ignores ranges. */
  readonly blocks: Map<number, Uint8Array<ArrayBuffer>>;
}

/**
 * Returns a file system that reads from a web server, and decompression that needs no built-in modules. Files that
 * were fetched are kept, so that a store that grows is opened again to see its new parts.
 */
export function httpHost(signal?: AbortSignal): Host {
  const files = new RemoteFiles(signal);
  const refuse = () =>
    Promise.reject(new TypeError("Cannot change a file on a web server: it is only read"));
  const fs: FileSystem = {
    open: (path) => files.open(path),
    readFile: (path) => files.readAll(path),
    readdir: (path) =>
      Promise.reject(
        new TypeError(
          `Cannot list ${path}: web servers list no folders, so that only stores of Hooke can be read`,
        ),
      ),
    stat: refuse,
    rename: refuse,
    mkdir: refuse,
    rm: refuse,
  };
  return {
    fs,
    zlib: {
      constants: { ZSTD_c_compressionLevel: 0 },
      zstdCompressSync: () => {
        throw new TypeError("Cannot compress: files on a web server are only read");
      },
      zstdDecompressSync: (bytes, { maxOutputLength }) => unpackZstd(bytes, maxOutputLength),
      gunzipSync: (bytes, { maxOutputLength }) => gunzip(bytes, maxOutputLength),
    },
  };
}

/** Decompresses gzip (RFC 1952), whose last four bytes are the length. */
function gunzip(bytes: Uint8Array, most: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 18 || view.getUint16(0) !== 0x1f8b) {
    throw new SyntaxError("Cannot decompress: the data are not gzip");
  }
  const flags = bytes[3]!, length = view.getUint32(bytes.length - 4, true);
  let at = 10;
  if (flags & 4) at += 2 + view.getUint16(at, true);
  for (const flag of [8, 16]) if (flags & flag) at = bytes.indexOf(0, at) + 1;
  if (flags & 2) at += 2;
  if (length > most) {
    throw new SyntaxError(
      `Cannot decompress: the data must have at most ${most} bytes; got ${length}`,
    );
  }
  return inflate(bytes.subarray(at, bytes.length - 8), length);
}

/** The files of a server, and their parts in the order of use. */
class RemoteFiles {
  readonly #signal: AbortSignal | undefined;
  readonly #files: Map<string, Promise<RemoteFile>> = new Map();
  /** Blocks in the order in which they were fetched. */
  readonly #order: (readonly [RemoteFile, number])[] = [];
  #kept = 0;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  async readAll(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const response = await this.#request(path);
    return new Uint8Array(await response.arrayBuffer());
  }

  async open(path: string): Promise<OpenFile> {
    let file = this.#files.get(path);
    if (file === undefined) {
      file = this.#find(path);
      this.#files.set(path, file);
      file.catch(() => this.#files.delete(path)); // a later call may have more luck
    }
    const opened = await file;
    const refuse = () =>
      Promise.reject(new TypeError(`Cannot write ${path}: it is on a web server`));
    return {
      read: async (buffer, offset, length, position) => {
        const bytes = await this.#read(path, opened, position ?? 0, length);
        buffer.set(bytes, offset);
        return { bytesRead: bytes.length };
      },
      stat: () => Promise.resolve({ size: opened.size }),
      close: () => Promise.resolve(),
      write: refuse,
      truncate: refuse,
      datasync: refuse,
      sync: refuse,
    };
  }

  /** Fetches the end of a file, where shards have their index, and learns its size. */
  async #find(path: string): Promise<RemoteFile> {
    const response = await this.#request(path, `bytes=-${BLOCK}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
    if (response.status !== 206 || range === null) {
      const whole: RemoteFile = { size: bytes.length, blocks: new Map() };
      this.#keep(whole, -1, bytes);
      return whole;
    }
    const start = Number(range[1]),
      file: RemoteFile = { size: Number(range[2]), blocks: new Map() };
    // The part that is a block of its own; the rest of the block before is fetched when it is needed.
    const first = Math.ceil(start / BLOCK);
    for (let block = first; block * BLOCK < file.size; block++) {
      this.#keep(file, block, bytes.slice(block * BLOCK - start, (block + 1) * BLOCK - start));
    }
    return file;
  }

  async #read(
    path: string,
    file: RemoteFile,
    from: number,
    length: number,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const end = Math.min(file.size, from + length), bytes = new Uint8Array(Math.max(0, end - from));
    const whole = file.blocks.get(-1);
    if (whole !== undefined) return whole.slice(from, end);
    for (let block = Math.floor(from / BLOCK); block * BLOCK < end; block++) {
      const part = file.blocks.get(block) ?? await this.#fetch(path, file, block, end);
      const start = Math.max(from, block * BLOCK);
      bytes.set(part.subarray(start - block * BLOCK, end - block * BLOCK), start - from);
    }
    return bytes;
  }

  /** Fetches a block, and with it the blocks up to a position that are not there either. */
  async #fetch(
    path: string,
    file: RemoteFile,
    block: number,
    until: number,
  ): Promise<Uint8Array<ArrayBuffer>> {
    let next = block + 1;
    while (next * BLOCK < until && !file.blocks.has(next)) next++;
    const from = block * BLOCK, to = Math.min(file.size, next * BLOCK);
    const response = await this.#request(path, `bytes=${from}-${to - 1}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status !== 206 || bytes.length !== to - from) {
      throw new Error(
        `Cannot load ${path}: the server sent ${bytes.length} bytes instead of ${to - from}`,
      );
    }
    for (let at = block; at < next; at++) {
      this.#keep(file, at, bytes.slice(at * BLOCK - from, (at + 1) * BLOCK - from));
    }
    return file.blocks.get(block) ?? bytes.slice(0, BLOCK);
  }

  #keep(file: RemoteFile, block: number, bytes: Uint8Array<ArrayBuffer>): void {
    file.blocks.set(block, bytes);
    this.#order.push([file, block]);
    this.#kept += bytes.length;
    while (this.#kept > KEPT && this.#order.length > 1) {
      const [oldest, its] = this.#order[0]!;
      if (its === -1) break; // the file cannot be fetched in parts
      this.#order.shift();
      this.#kept -= oldest.blocks.get(its)?.length ?? 0;
      oldest.blocks.delete(its);
    }
  }

  #request(path: string, range?: string): Promise<Response> {
    return requested(path, {
      ...(range === undefined ? {} : { headers: { range } }),
      ...(this.#signal === undefined ? {} : { signal: this.#signal }),
    });
  }
}
