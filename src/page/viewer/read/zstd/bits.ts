/**
 * Bits of Zstandard data. Most streams are read from their end to their start.
 *
 * @module
 */

/** Throws the error for damaged data. */
export function damaged(): never {
  throw new SyntaxError("Cannot decompress: the data are damaged");
}

/** Reads a stream from its end: the highest bit that is set in the last byte marks the end. */
export class BackwardBits {
  readonly #bytes: Uint8Array;
  /** Number of bits that are left. Below zero, bits before the start were read; they are 0. */
  left: number;

  constructor(bytes: Uint8Array) {
    const last = bytes.at(-1) ?? 0;
    if (last === 0) damaged();
    this.#bytes = bytes;
    this.left = 8 * bytes.length - Math.clz32(last) + 23;
  }

  /** Takes up to 31 bits as a number. */
  take(count: number): number {
    if (count > 24) {
      const high = this.take(count - 16);
      return high * 65536 + this.take(16);
    }
    this.left -= count;
    return this.at(this.left, count);
  }

  /** Returns the next bits, which stay. At most 24. */
  peek(count: number): number {
    return this.at(this.left - count, count);
  }

  /** Returns bits from a position, counted from the start of the stream. */
  at(position: number, count: number): number {
    if (position < 0) {
      return position + count <= 0 ? 0 : this.at(0, position + count) << -position;
    }
    const bytes = this.#bytes, byte = position >> 3;
    const four = (bytes[byte] ?? 0) | (bytes[byte + 1] ?? 0) << 8 | (bytes[byte + 2] ?? 0) << 16 |
      (bytes[byte + 3] ?? 0) << 24;
    return (four >>> (position & 7)) & ((1 << count) - 1);
  }
}

/** Reads bits from the start of a stream, the lowest bit of each byte first. */
export class ForwardBits {
  readonly #bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Takes up to 16 bits. Bits after the end are 0. */
  take(count: number): number {
    const bytes = this.#bytes, byte = this.position >> 3;
    const three = (bytes[byte] ?? 0) | (bytes[byte + 1] ?? 0) << 8 | (bytes[byte + 2] ?? 0) << 16;
    const value = (three >> (this.position & 7)) & ((1 << count) - 1);
    this.position += count;
    return value;
  }

  /** Number of bytes from which bits were taken. */
  get bytesUsed(): number {
    const used = Math.ceil(this.position / 8);
    return used > this.#bytes.length ? damaged() : used;
  }
}
