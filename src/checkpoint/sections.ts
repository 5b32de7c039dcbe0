/**
 * The layout of a checkpoint file.
 *
 * A file is a sequence of sections: the preamble, the header, then one for each typed array. A section consists of
 * its bytes, zeros up to four bytes before a multiple of eight, and a checksum of four bytes. So every section
 * begins at a multiple of eight. All numbers outside the arrays are little-endian.
 *
 * A checksum is the CRC-32C of all sections so far, without earlier checksums. It includes the earlier sections,
 * because an intact section may belong to another version of the file. The checksums detect accidents, not forgery.
 * They are not SHA-256, because web pages compute that asynchronously and only in a secure context. A CRC lets a
 * state be encoded synchronously between two steps.
 *
 * The preamble has 24 bytes, the same in every version of the container:
 *
 * | offset | content |
 * |---|---|
 * | 0 | eight bytes with which no text file begins, and which a transfer as text would damage |
 * | 8 | version of the container, 4 bytes |
 * | 12 | length of the header without zeros and checksum, 4 bytes |
 * | 16 | length of the file, 8 bytes |
 *
 * The header is JSON in UTF-8: `{"byteOrder","data","kind","schema"}`, members sorted by name at every level.
 * Values that JSON cannot express are objects with one member: `{"$number":"-0"}`, `{"$bigint":"7"}`,
 * `{"$array":["Float64Array",3]}`. If a name in the data begins with `$`, another `$` is put before it. The
 * sections of the arrays follow in the order in which the header refers to them.
 *
 * @module
 */

import { crc32c } from "../base/crc32c.ts";

/** First bytes of every checkpoint. */
export const MAGIC: Uint8Array = Uint8Array.of(0x89, 0x48, 0x4b, 0x43, 0x0d, 0x0a, 0x1a, 0x0a);

/** Version of the container that this module writes, and the only one that it reads. */
export const CONTAINER_VERSION = 1;

/** Length of the preamble in bytes, without padding zeros and checksum. */
export const PREAMBLE_LENGTH = 24;

/** Byte order of this machine, in which arrays are stored. */
export const BYTE_ORDER: "little" | "big" = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
  ? "little"
  : "big";

const SEAL = 4;

/**
 * Returns the number of bytes that a section of `length` bytes takes in a file, including padding zeros and checksum.
 */
export function sectionSize(length: number): number {
  return Math.ceil((length + SEAL) / 8) * 8;
}

/**
 * Creates the bytes of a file: a preamble, then the header and the arrays, each with its checksum. The header is the
 * first of `sections`.
 */
export function joinSections(sections: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const sizes = [PREAMBLE_LENGTH, ...sections.map(({ length }) => length)].map(sectionSize);
  const file = new Uint8Array(sizes.reduce((sum, size) => sum + size));
  const view = new DataView(file.buffer);
  let at = 0;
  let crc = 0;
  for (const section of [preamble(sections[0]?.length ?? 0, file.length), ...sections]) {
    file.set(section, at);
    const end = at + sectionSize(section.length);
    crc = crc32c(file.subarray(at, end - SEAL), crc);
    view.setUint32(end - SEAL, crc, true);
    at = end;
  }
  return file;
}

function preamble(headerLength: number, fileLength: number): Uint8Array {
  const bytes = new Uint8Array(PREAMBLE_LENGTH);
  bytes.set(MAGIC);
  const view = new DataView(bytes.buffer);
  view.setUint32(8, CONTAINER_VERSION, true);
  view.setUint32(12, headerLength, true);
  view.setBigUint64(16, BigInt(fileLength), true);
  return bytes;
}

/** Reads the sections of a file in order, and verifies their checksums. */
export class SectionReader {
  readonly #file: Uint8Array;
  readonly #refuse: (requirement: string, value: string) => never;
  #at = 0;
  #crc = 0;

  /** Creates a reader at the beginning of `file`. Errors of the file are passed to `refuse`, which must throw. */
  constructor(file: Uint8Array, refuse: (requirement: string, value: string) => never) {
    this.#file = file;
    this.#refuse = refuse;
  }

  /** Returns the next section of `length` bytes as a view of the file. `name` is its name in error messages. */
  take(length: number, name: string): Uint8Array {
    const [start, end] = [this.#at, this.#at + sectionSize(length)];
    if (end > this.#file.length) {
      this.#refuse(
        `${name} must end within the file of ${this.#file.length} bytes`,
        `${length} bytes from byte ${start} on`,
      );
    }
    this.#crc = crc32c(this.#file.subarray(start, end - SEAL), this.#crc);
    const { buffer, byteOffset } = this.#file;
    const seal = new DataView(buffer, byteOffset + end - SEAL, SEAL).getUint32(0, true);
    if (seal !== this.#crc) {
      this.#refuse(
        `the checksum of ${name} must be ${hexadecimal(seal)}`,
        hexadecimal(this.#crc),
      );
    }
    this.#at = end;
    return this.#file.subarray(start, start + length);
  }

  /** Checks that the file has no bytes after the last section. */
  end(): void {
    const left = this.#file.length - this.#at;
    if (left > 0) this.#refuse("the file must end with its last array", `${left} more bytes`);
  }
}

function hexadecimal(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
