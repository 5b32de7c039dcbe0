/**
 * The layout of a checkpoint file.
 *
 * A file is a row of sections: the preamble, the header, then one for each typed array. A section is its bytes,
 * zeros up to four short of a multiple of eight, and a seal of four bytes. So every section begins at a multiple
 * of eight. All numbers outside the arrays are little-endian.
 *
 * A seal is the CRC-32C of all sections so far, without the seals before it. It covers what came before because
 * a section that is sound by itself may still be of another version of the file. The seals are against accidents,
 * not against forgery. A hash such as SHA-256 would have to be waited for in a page, and would not be there at all
 * outside a secure context; this way a state is encoded between two steps, in one go.
 *
 * The preamble has 24 bytes, the same in every version of the container:
 *
 * | at | what |
 * |---|---|
 * | 0 | eight bytes that no text file begins with, and that a transfer as text would damage |
 * | 8 | version of the container, 4 bytes |
 * | 12 | length of the header without zeros and seal, 4 bytes |
 * | 16 | length of the file, 8 bytes |
 *
 * The header is JSON in UTF-8: `{"byteOrder","data","kind","schema"}`, members sorted by name at every level. What
 * JSON cannot say stands in it as an object with one member: `{"$number":"-0"}`, `{"$bigint":"7"}`,
 * `{"$array":["Float64Array",3]}`. Names of the data's own that begin with `$` have one more of it. The sections of
 * the arrays follow in the order in which the header names them.
 *
 * @module
 */

import { crc32c } from "../base/crc32c.ts";

/** What every checkpoint begins with. */
export const MAGIC: Uint8Array = Uint8Array.of(0x89, 0x48, 0x4b, 0x43, 0x0d, 0x0a, 0x1a, 0x0a);

/** The version of the container that is written, and the only one that is read. */
export const CONTAINER_VERSION = 1;

/** The preamble's length, without zeros and seal. */
export const PREAMBLE_LENGTH = 24;

/** The byte order of this machine, which is that of the arrays it writes. */
export const BYTE_ORDER: "little" | "big" = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
  ? "little"
  : "big";

const SEAL = 4;

/** How many bytes of a file a section of this length takes. */
export function sectionSize(length: number): number {
  return Math.ceil((length + SEAL) / 8) * 8;
}

/** Puts a preamble before a header and arrays, and seals them all. */
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

/** Takes one section after the other out of a file, and checks each seal. */
export class SectionReader {
  readonly #file: Uint8Array;
  readonly #refuse: (requirement: string, value: string) => never;
  #at = 0;
  #crc = 0;

  /** Reads `file`; says what is wrong with it by `refuse`. */
  constructor(file: Uint8Array, refuse: (requirement: string, value: string) => never) {
    this.#file = file;
    this.#refuse = refuse;
  }

  /** The next section, a view into the file. */
  take(length: number, name: string): Uint8Array {
    const [start, end] = [this.#at, this.#at + sectionSize(length)];
    if (end > this.#file.length) {
      this.#refuse(
        `${name} must end within its ${this.#file.length} bytes`,
        `${length} bytes from byte ${start} on`,
      );
    }
    this.#crc = crc32c(this.#file.subarray(start, end - SEAL), this.#crc);
    const { buffer, byteOffset } = this.#file;
    const seal = new DataView(buffer, byteOffset + end - SEAL, SEAL).getUint32(0, true);
    if (seal !== this.#crc) {
      this.#refuse(
        `${name} must be undamaged, with the CRC-32C ${hexadecimal(seal)}`,
        hexadecimal(this.#crc),
      );
    }
    this.#at = end;
    return this.#file.subarray(start, start + length);
  }

  /** Checks that no section is left. */
  end(): void {
    const left = this.#file.length - this.#at;
    if (left > 0) this.#refuse("it must end with its last array", `${left} bytes more`);
  }
}

function hexadecimal(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
