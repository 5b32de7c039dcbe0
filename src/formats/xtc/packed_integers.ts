/**
 * The packing of integers in XTC files: triples of integers of given ranges in as few bits as their product needs.
 *
 * @module
 */

/** Sizes that the index of a packing of small differences stands for: ⌊2^(i/3)⌋, with three values as published. */
const SIZES: readonly number[] = Array.from({ length: 73 }, (_, i) => {
  const published: Readonly<Record<number, number>> = { 37: 5060, 57: 524287, 69: 8388607 };
  return i < 9 ? 0 : published[i] ?? Math.floor(2 ** (i / 3) + 1e-9);
});

/** Smallest index of a packing of small differences. */
export const FIRST_INDEX = 9;
/** Largest index of a packing of small differences. */
export const LAST_INDEX: number = SIZES.length - 1;

/** Returns the size that an index stands for. */
export function sizeOfIndex(index: number): number {
  return SIZES[index]!;
}

/** Returns the number of bits of an integer of 32 bits or less. */
export function bitLength(value: number): number {
  return 32 - Math.clz32(value);
}

/** Returns the number of bits of the product of three sizes. */
export function bitLengthOfProduct(sizes: readonly number[]): number {
  return sizes.reduce((product, size) => product * BigInt(size), 1n).toString(2).length;
}

/** Reads packed integers. Bits past the end are 0, and `isBeyond` becomes true. */
export class BitReader {
  isBeyond = false;
  readonly #bytes: Uint8Array;
  #at = 0;
  #rest = 0;
  #bits = 0;
  readonly #scratch = new Uint8Array(16);

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads up to 32 bits, the highest first. */
  take(count: number): number {
    let value = 0;
    while (count > 0) {
      if (this.#bits === 0) {
        if (this.#at >= this.#bytes.length) this.isBeyond = true;
        this.#rest = this.#bytes[this.#at++] ?? 0;
        this.#bits = 8;
      }
      const now = Math.min(count, this.#bits);
      this.#bits -= now;
      value = value * 2 ** now + ((this.#rest >> this.#bits) & ((1 << now) - 1));
      count -= now;
    }
    return value;
  }

  /** Reads three integers below `sizes` that are packed in `bits` bits, into `out`. */
  takeTriple(bits: number, sizes: readonly number[], out: number[]): void {
    const bytes = this.#scratch;
    let length = 0;
    for (let left = bits; left > 0; left -= 8) bytes[length++] = this.take(Math.min(8, left));
    for (let k = 2; k > 0; k--) out[k] = divide(bytes, length, sizes[k]!);
    out[0] = 0;
    for (let i = Math.min(4, length) - 1; i >= 0; i--) out[0] = out[0] * 256 + bytes[i]!;
  }
}

/** Divides a number of many bytes, the lowest first, by a size, and returns the remainder. */
function divide(bytes: Uint8Array, length: number, size: number): number {
  let remainder = 0;
  for (let i = length - 1; i >= 0; i--) {
    const value = remainder * 256 + bytes[i]!;
    bytes[i] = Math.floor(value / size);
    remainder = value % size;
  }
  return remainder;
}

/** Writes packed integers. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #rest = 0;
  #bits = 0;

  /** Writes up to 32 bits, the highest first. */
  put(count: number, value: number): void {
    for (let left = count; left > 0;) {
      const now = Math.min(left, 8 - this.#bits);
      left -= now;
      this.#rest = (this.#rest << now) | (Math.floor(value / 2 ** left) & ((1 << now) - 1));
      this.#bits += now;
      if (this.#bits === 8) this.#flush();
    }
  }

  /** Writes three integers below `sizes` in `bits` bits. */
  putTriple(bits: number, sizes: readonly number[], values: readonly number[]): void {
    const bytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    values.forEach((value, k) => {
      let carry = value;
      for (let i = 0; i < bytes.length; i++) {
        const sum = (k === 0 ? 0 : bytes[i]! * sizes[k]!) + carry;
        bytes[i] = sum % 256;
        carry = Math.floor(sum / 256);
      }
    });
    for (let i = 0, left = bits; left > 0; i++, left -= 8) this.put(Math.min(8, left), bytes[i]!);
  }

  /** Returns all bytes. */
  all(): Uint8Array {
    if (this.#bits > 0) {
      this.#rest <<= 8 - this.#bits;
      this.#flush();
    }
    return Uint8Array.from(this.#bytes);
  }

  #flush(): void {
    this.#bytes.push(this.#rest & 255);
    this.#rest = this.#bits = 0;
  }
}
