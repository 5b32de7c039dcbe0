/**
 * Packing of chunks: compression and checksums.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";
import type { Compression } from "./files.ts";
import type { Packing } from "./metadata.ts";

/** Smallest buffer of compressed bytes that `node:zlib` accepts. */
const LEAST_OUTPUT = 64;

/**
 * Largest ratio of compressed to original bytes for which chunks are compressed. The mantissas of float32 values of a
 * run are random: zstd shrinks them to 0.9 of their size, and takes ten times as long as writing them.
 */
const WORTHWHILE = 0.8;

/** Number of chunks of an array that are stored as they are, before it is tested again whether they shrink. */
const STORED_BETWEEN = 31;

/** Largest size of a block in a zstd frame. */
const BLOCK = 1 << 17;

/** Sizes in bytes of the header of a zstd frame of one segment, and of the header of a block. */
const FRAME_HEADER = 9, BLOCK_HEADER = 3;

/** Memory of how well the chunks of one array shrink. */
export interface Shrinkage {
  /** Number of chunks to store as they are, before the next one is compressed. */
  stored: number;
}

/** Packs chunks into one buffer, which is reused: a new one per chunk costs more than the checksum. */
export class ChunkPacker {
  readonly #zlib: Compression;
  #packed: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  constructor(zlib: Compression) {
    this.#zlib = zlib;
  }

  /**
   * Returns the bytes of a chunk as they are in the file: compressed, with a checksum. The next call overwrites them.
   *
   * At levels up to 1, chunks that hardly shrink are stored as they are, in a zstd frame of raw blocks, which each
   * reader of zstd understands. `shrinkage` belongs to the array of the chunk.
   */
  pack(bytes: Uint8Array, packing: Packing, shrinkage: Shrinkage): Uint8Array {
    const size = this.#body(bytes, packing, shrinkage);
    const sum = crc32c(this.#packed.subarray(0, size));
    new DataView(this.#packed.buffer).setUint32(size, sum, true);
    return this.#packed.subarray(0, size + 4);
  }

  /** Puts the bytes of a chunk without its checksum into the buffer, and returns their number. */
  #body(bytes: Uint8Array, { compression, level }: Packing, shrinkage: Shrinkage): number {
    if (compression === "none") return this.#put(bytes);
    if (level <= 1 && shrinkage.stored > 0) {
      shrinkage.stored--;
      return this.#store(bytes);
    }
    const compressed = this.#zstd(bytes, level);
    if (compressed.length > WORTHWHILE * bytes.length) shrinkage.stored = STORED_BETWEEN;
    return this.#put(compressed);
  }

  #put(bytes: Uint8Array): number {
    this.#reserve(bytes.length);
    this.#packed.set(bytes);
    return bytes.length;
  }

  /** Puts bytes into a zstd frame without compressing them (RFC 8878, sections 3.1.1.1 and 3.1.1.2). */
  #store(bytes: Uint8Array): number {
    const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK));
    const size = FRAME_HEADER + BLOCK_HEADER * blocks + bytes.length;
    this.#reserve(size);
    const packed = this.#packed, view = new DataView(packed.buffer);
    view.setUint32(0, 0xfd2fb528, true); // the magic number
    packed[4] = 0xa0; // one segment, whose size follows in four bytes; no dictionary, no checksum of zstd
    view.setUint32(5, bytes.length, true);
    for (let block = 0, at = FRAME_HEADER; block < blocks; block++) {
      const part = bytes.subarray(block * BLOCK, (block + 1) * BLOCK);
      const header = (block === blocks - 1 ? 1 : 0) | part.length << 3; // bits 1 and 2 are 0: a raw block
      packed[at] = header;
      view.setUint16(at + 1, header >> 8, true);
      packed.set(part, at + BLOCK_HEADER);
      at += BLOCK_HEADER + part.length;
    }
    return size;
  }

  /** Makes room for a body of `size` bytes and a checksum. */
  #reserve(size: number): void {
    if (this.#packed.length < size + 4) this.#packed = new Uint8Array(size + 4);
  }

  /**
   * Compresses bytes. The synchronous function takes less processor time than the one with a callback, which under
   * Deno compresses on the same thread. An output buffer for the whole result saves copies.
   */
  #zstd(bytes: Uint8Array, level: number): Uint8Array {
    const { constants, zstdCompressSync } = this.#zlib;
    const most = bytes.length + (bytes.length >> 8) + LEAST_OUTPUT; // of bytes that cannot be compressed
    const params = { [constants.ZSTD_c_compressionLevel]: level };
    return zstdCompressSync(bytes, { params, chunkSize: most });
  }
}
