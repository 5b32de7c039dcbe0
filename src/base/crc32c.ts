/**
 * CRC-32C (Castagnoli): finds every single damaged stretch of up to 32 bits, and all but one in 2³² of the others.
 *
 * It runs over eight bytes at a time, with one table for each ("slicing-by-8": M. E. Kounavis, F. L. Berry, "A
 * systematic approach to building high performance software-based CRC generators", ISCC 2005).
 *
 * @module
 */

/** The Castagnoli polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** `TABLES[256 * k + b]`: what byte `b` does to the register when `k` more bytes follow it. */
const TABLES = makeTables();

function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let register = byte;
    for (let bit = 0; bit < 8; bit++) {
      register = register & 1 ? register >>> 1 ^ POLYNOMIAL : register >>> 1;
    }
    tables[byte] = register;
  }
  for (let i = 256; i < tables.length; i++) {
    const before = tables[i - 256]!;
    tables[i] = before >>> 8 ^ tables[before & 255]!;
  }
  return tables;
}

/**
 * The CRC-32C of some bytes, as an unsigned number.
 *
 * @param bytes what to check
 * @param before the CRC of all bytes before these, so that `crc32c(b, crc32c(a))` is that of `a` with `b` behind it
 */
// hot
export function crc32c(bytes: Uint8Array, before: number = 0): number {
  const t = TABLES;
  const { length } = bytes;
  let register = ~before;
  let i = 0;
  for (; i + 8 <= length; i += 8) {
    register ^= bytes[i]! | bytes[i + 1]! << 8 | bytes[i + 2]! << 16 | bytes[i + 3]! << 24;
    register = t[1792 + (register & 255)]! ^ t[1536 + (register >>> 8 & 255)]! ^
      t[1280 + (register >>> 16 & 255)]! ^ t[1024 + (register >>> 24)]! ^
      t[768 + bytes[i + 4]!]! ^ t[512 + bytes[i + 5]!]! ^ t[256 + bytes[i + 6]!]! ^
      t[bytes[i + 7]!]!;
  }
  for (; i < length; i++) register = register >>> 8 ^ t[(register ^ bytes[i]!) & 255]!;
  return ~register >>> 0;
}
