/**
 * CRC-32C (Castagnoli). It detects every burst error of up to 32 bits, and all but one in 2³² of the other errors.
 *
 * The code processes sixteen bytes at a time, with one table for each, as "slicing-by-8" does for eight (M. E.
 * Kounavis, F. L. Berry, "A systematic approach to building high performance software-based CRC generators", ISCC
 * 2005).
 *
 * @module
 */

/** The Castagnoli polynomial, with its bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** `TABLES[256 * k + b]` is the change of the register by byte `b` when `k` more bytes of the same block follow. */
const TABLES = makeTables();

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function makeTables(): Int32Array {
  const tables = new Int32Array(16 * 256);
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
 * Returns the CRC-32C of some bytes, as an unsigned 32-bit integer.
 *
 * @param bytes the bytes to check
 * @param before the CRC of all bytes before these: `crc32c(b, crc32c(a))` is the CRC of `a` followed by `b`
 */
// hot
export function crc32c(bytes: Uint8Array, before: number = 0): number {
  const t = TABLES;
  const { length, byteOffset } = bytes;
  // Four bytes are read as one 32-bit word, if the machine is little-endian and the array starts at a multiple of
  // four bytes.
  const whole = IS_LITTLE_ENDIAN && byteOffset % 4 === 0 ? 4 * (length >> 4) : 0;
  const words = new Int32Array(bytes.buffer, whole === 0 ? 0 : byteOffset, whole);
  let register = ~before;
  for (let j = 0; j < whole; j += 4) {
    const a = register ^ words[j]!, b = words[j + 1]!, c = words[j + 2]!, d = words[j + 3]!;
    // Only the terms of `a` depend on the register. The others are summed apart, so that the next block waits for the
    // sum of four terms instead of sixteen.
    const ahead = t[2816 + (b & 255)]! ^ t[2560 + (b >>> 8 & 255)]! ^
      t[2304 + (b >>> 16 & 255)]! ^ t[2048 + (b >>> 24)]! ^
      t[1792 + (c & 255)]! ^ t[1536 + (c >>> 8 & 255)]! ^
      t[1280 + (c >>> 16 & 255)]! ^ t[1024 + (c >>> 24)]! ^
      t[768 + (d & 255)]! ^ t[512 + (d >>> 8 & 255)]! ^
      t[256 + (d >>> 16 & 255)]! ^ t[d >>> 24]!;
    register = ahead ^ t[3840 + (a & 255)]! ^ t[3584 + (a >>> 8 & 255)]! ^
      (t[3328 + (a >>> 16 & 255)]! ^ t[3072 + (a >>> 24)]!);
  }
  for (let i = 4 * whole; i < length; i++) {
    register = register >>> 8 ^ t[(register ^ bytes[i]!) & 255]!;
  }
  return ~register >>> 0;
}
