/** Order in which a block lists the code lengths of its own codes (RFC 1951, section 3.2.7). */
const LENGTHS_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Symbol that ends a block. Larger symbols are lengths of copies. */
const END = 256;

/** Codes of a block: one table for literals and lengths, and one for distances. */
type Codes = readonly [literals: Uint16Array, distances: Uint16Array];

/**
 * Decompresses raw DEFLATE data (RFC 1951) whose decompressed length is known. Web pages have only asynchronous
 * functions for it.
 *
 * @throws {SyntaxError} if the data are damaged or have another length
 */
export function inflate(input: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length), bits = new Bits(input);
  let at = 0, isLast = false;
  while (!isLast) {
    isLast = bits.take(1) === 1;
    const type = bits.take(2);
    if (type === 3) throw damaged();
    if (type === 0) at = copyStored(bits, out, at);
    else at = decodeBlock(bits, type === 1 ? fixedCodes() : readCodes(bits), out, at);
  }
  if (at !== length) throw damaged();
  return out;
}

function damaged(): SyntaxError {
  return new SyntaxError("Cannot decompress: the data are damaged");
}

/** Reads bits, the lowest bit of each byte first. */
class Bits {
  readonly #input: Uint8Array;
  #next = 0;
  #held = 0;
  #count = 0;

  constructor(input: Uint8Array) {
    this.#input = input;
  }

  /** Returns the next `count` bits as a number, without removing them. Bits after the end of the input are 0. */
  peek(count: number): number {
    while (this.#count < count) {
      this.#held |= (this.#input[this.#next++] ?? 0) << this.#count;
      this.#count += 8;
    }
    return this.#held & (1 << count) - 1;
  }

  /** Removes bits that `peek` has returned. Throws a SyntaxError if the input has fewer bits. */
  drop(count: number): void {
    this.#held >>>= count;
    this.#count -= count;
    // Without this, damaged data could be read as zeros forever.
    if (this.#next - (this.#count >> 3) > this.#input.length) throw damaged();
  }

  /** Returns the next bits as a number, and removes them. */
  take(count: number): number {
    const value = this.peek(count);
    this.drop(count);
    return value;
  }

  /** Drops the rest of the current byte. */
  align(): void {
    this.drop(this.#count & 7);
  }

  /**
   * Returns the next symbol of a code. An entry of its table is symbol · 16 + length of the symbol's code; 0 means no
   * code.
   */
  symbol(table: Uint16Array): number {
    const entry = table[this.peek(31 - Math.clz32(table.length))]!;
    if (entry === 0) throw damaged();
    this.drop(entry & 15);
    return entry >> 4;
  }
}

function copyStored(bits: Bits, out: Uint8Array, start: number): number {
  bits.align();
  const length = bits.take(16);
  if ((bits.take(16) ^ length) !== 0xffff || start + length > out.length) throw damaged();
  for (let at = start; at < start + length; at++) out[at] = bits.take(8);
  return start + length;
}

/** Decodes a block to `out`, from index `start` on. Returns the index after the last byte. */
function decodeBlock(bits: Bits, [literals, distances]: Codes, out: Uint8Array, start: number) {
  let at = start;
  for (;;) {
    const symbol = bits.symbol(literals);
    if (symbol === END) return at;
    if (symbol < END) {
      out[at++] = symbol;
      continue;
    }
    const end = at + lengthOf(bits, symbol - END - 1);
    const back = distanceOf(bits, bits.symbol(distances));
    if (back > at || end > out.length) throw damaged();
    // Byte by byte, because a copy may read what it has just written.
    for (; at < end; at++) out[at] = out[at - back]!;
  }
}

/**
 * Returns the length of a copy, from 3 to 258. Symbols below 8 have no extra bits. From then on, each group of four
 * symbols has one extra bit more than the group before.
 */
function lengthOf(bits: Bits, symbol: number): number {
  if (symbol < 8) return symbol + 3;
  if (symbol === 28) return 258;
  const extra = (symbol >> 2) - 1;
  return 3 + (4 + (symbol & 3) << extra) + bits.take(extra);
}

/**
 * Returns the distance of a copy, in bytes back from the end of the output. Symbols below 4 have no extra bits. From
 * then on, each pair of symbols has one extra bit more than the pair before.
 */
function distanceOf(bits: Bits, symbol: number): number {
  if (symbol < 4) return symbol + 1;
  const extra = (symbol >> 1) - 1;
  return 1 + (2 + (symbol & 1) << extra) + bits.take(extra);
}

function fixedCodes(): Codes {
  const lengths = Array.from(
    { length: 288 },
    (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8,
  );
  return [tableOf(lengths), tableOf(new Array<number>(30).fill(5))];
}

/** Reads the codes at the beginning of a block. Their lengths are coded themselves. */
function readCodes(bits: Bits): Codes {
  const literals = bits.take(5) + 257, distances = bits.take(5) + 1, count = bits.take(4) + 4;
  const own = new Array<number>(19).fill(0);
  for (const i of LENGTHS_ORDER.slice(0, count)) own[i] = bits.take(3);
  const table = tableOf(own), lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = bits.symbol(table);
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) repeat(lengths, lengths.at(-1) ?? 0, 3 + bits.take(2));
    else repeat(lengths, 0, symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7));
  }
  return [tableOf(lengths.slice(0, literals)), tableOf(lengths.slice(literals))];
}

function repeat(lengths: number[], length: number, times: number): void {
  for (let i = 0; i < times; i++) lengths.push(length);
}

/**
 * Returns the table of a canonical code, from the next bits of the input to a symbol and the length of its code. The
 * bits of a code are read from its highest on, so an index has them in reverse.
 */
function tableOf(lengths: readonly number[]): Uint16Array {
  const longest = Math.max(...lengths, 1), table = new Uint16Array(1 << longest);
  let code = 0;
  for (let length = 1; length <= longest; length++) {
    for (const [symbol, each] of lengths.entries()) {
      if (each !== length) continue;
      const first = reversed(code++, length);
      for (let i = first; i < table.length; i += 1 << length) table[i] = symbol << 4 | length;
    }
    code <<= 1;
  }
  return table;
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let i = 0; i < length; i++) result |= (code >> i & 1) << length - 1 - i;
  return result;
}
