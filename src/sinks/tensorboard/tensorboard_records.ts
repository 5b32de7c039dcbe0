/**
 * Records in a file, each with its length and two checksums: the framing of TensorBoard's event files.
 *
 * A record consists of its length (8 bytes, little endian), the masked CRC-32C of these 8 bytes, the content, and the
 * masked CRC-32C of the content.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";

const HEADER = 12;
const FOOTER = 4;
/**
 * Constant that is added to a checksum after a rotation by 15 bits. CRCs of data that contains its own CRC
 * are weak.
 */
const MASK = 0xa282ead8;

/** Returns the bytes of a framed record. */
export function frameRecord(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const record = new Uint8Array(HEADER + bytes.length + FOOTER);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(bytes.length), true);
  view.setUint32(8, masked(record.subarray(0, 8)), true);
  record.set(bytes, HEADER);
  view.setUint32(HEADER + bytes.length, masked(bytes), true);
  return record;
}

/**
 * Yields the records of a file, in order. An incomplete last record, which a killed process leaves, is skipped.
 *
 * @throws {SyntaxError} if a checksum does not match; the message has the number of the record, from 0
 */
export function* recordsOf(file: Uint8Array, name: string): Generator<Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let from = 0;
  for (let n = 0; from + HEADER <= file.length; n++) {
    check(name, n, "length", view.getUint32(from + 8, true), file.subarray(from, from + 8));
    const length = view.getBigUint64(from, true);
    if (length > BigInt(file.length - from - HEADER - FOOTER)) return;
    const end = from + HEADER + Number(length);
    const bytes = file.subarray(from + HEADER, end);
    check(name, n, "bytes", view.getUint32(end, true), bytes);
    yield bytes;
    from = end + FOOTER;
  }
}

function check(name: string, n: number, part: string, sum: number, bytes: Uint8Array): void {
  if (masked(bytes) === sum) return;
  throw new SyntaxError(
    `Cannot read ${name}: the checksum of the ${part} of record ${n} must be ${masked(bytes)}; ` +
      `got ${sum}`,
  );
}

function masked(bytes: Uint8Array): number {
  const sum = crc32c(bytes);
  return (((sum >>> 15) | (sum << 17)) + MASK) >>> 0;
}
