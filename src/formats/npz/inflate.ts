/** Order in which a block lists the code lengths of its own codes (RFC 1951, section 3.2.7). */
const LENGTHS_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Symbol that ends a block. Larger symbols are lengths of copies. */
const END = 256;

/** Number of bits of the longest possible code, and of the longest code that a table finds at once. */
const LONGEST = 15, FAST = 10;

/** A code of symbols. */
interface Code {
  /**
   * From the next `FAST` bits of the input to symbol · 16 + length of the symbol's code; 0 for a longer code, and for
   * no code.
   */
  readonly table: Uint16Array;
  /** Number of symbols with a code of each length. */
  readonly counts: Uint16Array;
  /** Symbols in the order of their codes. */
  readonly symbols: Uint16Array;
}

/** Codes of a block: one for literals and lengths, and one for distances. */
type Codes = readonly [literals: Code, distances: Code];

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
    // Bits after the end are 0, and a block of them could be followed by others without end.
    if (bits.next - (bits.count >> 3) > input.length) throw damaged();
  }
  if (at !== length) throw damaged();
  return out;
}

function damaged(): SyntaxError {
  return new SyntaxError("Cannot decompress: the data are damaged");
}

/** Reads bits, the lowest bit of each byte first. Bits after the end of the input are 0. */
class Bits {
  readonly input: Uint8Array;
  /** Index of the first byte that is not held yet. */
  next = 0;
  /** Bits that are read but not taken, and their number. At most 30, so that V8 does not allocate the number. */
  held = 0;
  count = 0;

  constructor(input: Uint8Array) {
    this.input = input;
  }

  /** Returns the next bits as a number, at most 16, and removes them. */
  take(count: number): number {
    while (this.count < count) {
      this.held |= this.input[this.next++]! << this.count;
      this.count += 8;
    }
    const value = this.held & (1 << count) - 1;
    this.held >>>= count;
    this.count -= count;
    return value;
  }

  /** Returns the next symbol of a code, and removes it. */
  symbol({ counts, symbols }: Code): number {
    let code = 0, first = 0, index = 0;
    for (let length = 1; length <= LONGEST; length++) {
      const count = counts[length]!;
      code = code << 1 | this.take(1);
      first <<= 1;
      if (code < first + count) return symbols[index + code - first]!;
      first += count;
      index += count;
    }
    throw damaged();
  }
}

function copyStored(bits: Bits, out: Uint8Array, start: number): number {
  bits.take(bits.count & 7); // the rest of the current byte
  const length = bits.take(16);
  if ((bits.take(16) ^ length) !== 0xffff || start + length > out.length) throw damaged();
  for (let at = start; at < start + length; at++) out[at] = bits.take(8);
  return start + length;
}

/**
 * Decodes a block to `out`, from index `start` on. Returns the index after the last byte.
 *
 * The loop is run once, mostly before V8 has compiled it, and calls would take most of its time. So the bits are in
 * local variables, and short codes are looked up in place. Each round adds at least one byte, so the loop ends even if
 * it reads zeros after the end of damaged data.
 */
function decodeBlock(bits: Bits, [literals, distances]: Codes, out: Uint8Array, start: number) {
  const { input } = bits, { table } = literals, far = distances.table, mask = (1 << FAST) - 1;
  let { held, count, next } = bits, at = start, symbol = 0;
  for (;;) {
    for (; count < 23; count += 8) held |= input[next++]! << count;
    let entry = table[held & mask]!;
    if (entry === 0) {
      bits.held = held;
      bits.count = count;
      bits.next = next;
      symbol = bits.symbol(literals);
      held = bits.held;
      count = bits.count;
      next = bits.next;
    } else {
      symbol = entry >> 4;
      held >>>= entry & 15;
      count -= entry & 15;
    }
    if (symbol < END) {
      if (at === out.length) throw damaged();
      out[at++] = symbol;
      continue;
    }
    if (symbol === END) break;
    let extra = lengthBits(symbol - END - 1);
    const end = at + lengthFrom(symbol - END - 1) + (held & (1 << extra) - 1);
    held >>>= extra;
    count -= extra;
    for (; count < 23; count += 8) held |= input[next++]! << count;
    entry = far[held & mask]!;
    if (entry === 0) {
      bits.held = held;
      bits.count = count;
      bits.next = next;
      symbol = bits.symbol(distances);
      held = bits.held;
      count = bits.count;
      next = bits.next;
    } else {
      symbol = entry >> 4;
      held >>>= entry & 15;
      count -= entry & 15;
    }
    for (; count < 23; count += 8) held |= input[next++]! << count;
    extra = symbol < 4 ? 0 : (symbol >> 1) - 1;
    const back = (symbol < 4 ? symbol : 2 + (symbol & 1) << extra) + 1 + (held & (1 << extra) - 1);
    held >>>= extra;
    count -= extra;
    if (back > at || end > out.length) throw damaged();
    // Byte by byte, because a copy may read what it has just written.
    for (; at < end; at++) out[at] = out[at - back]!;
  }
  bits.held = held;
  bits.count = count;
  bits.next = next;
  return at;
}

/**
 * Returns the number of extra bits of a length, from its code. Codes below 8 have none. From then on, each group of four
 * codes has one more than the group before, except for the last code.
 */
function lengthBits(code: number): number {
  return code < 8 || code === 28 ? 0 : (code >> 2) - 1;
}

/** Returns the shortest copy of a code, from 3 to 258. */
function lengthFrom(code: number): number {
  if (code < 8) return code + 3;
  return code === 28 ? 258 : (4 + (code & 3) << (code >> 2) - 1) + 3;
}

function fixedCodes(): Codes {
  const lengths = Array.from(
    { length: 288 },
    (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8,
  );
  return [codeOf(lengths), codeOf(new Array<number>(30).fill(5))];
}

/** Reads the codes at the beginning of a block. Their lengths are coded themselves. */
function readCodes(bits: Bits): Codes {
  const literals = bits.take(5) + 257, distances = bits.take(5) + 1, count = bits.take(4) + 4;
  const own = new Array<number>(19).fill(0);
  for (const i of LENGTHS_ORDER.slice(0, count)) own[i] = bits.take(3);
  const code = codeOf(own), lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = bits.symbol(code);
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) repeat(lengths, lengths.at(-1) ?? 0, 3 + bits.take(2));
    else repeat(lengths, 0, symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7));
  }
  return [codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals))];
}

function repeat(lengths: number[], length: number, times: number): void {
  for (let i = 0; i < times; i++) lengths.push(length);
}

/**
 * Returns the canonical code of symbols from the lengths of their codes. The bits of a code are read from its highest
 * on, so an index of the table has them in reverse.
 */
function codeOf(lengths: readonly number[]): Code {
  const counts = new Uint16Array(LONGEST + 1), places = new Uint16Array(LONGEST + 1);
  for (let i = 0; i < lengths.length; i++) counts[lengths[i]!]!++;
  const table = new Uint16Array(1 << FAST), symbols = new Uint16Array(lengths.length);
  counts[0] = 0;
  const codes = new Uint16Array(LONGEST + 1);
  for (let length = 1; length <= LONGEST; length++) {
    codes[length] = codes[length - 1]! + counts[length - 1]! << 1;
    places[length] = places[length - 1]! + counts[length - 1]!;
  }
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol]!;
    if (length === 0) continue;
    symbols[places[length]!++] = symbol;
    const code = codes[length]!++;
    if (length > FAST) continue;
    for (let i = reversed(code, length); i < table.length; i += 1 << length) {
      table[i] = symbol << 4 | length;
    }
  }
  return { table, counts, symbols };
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let i = 0; i < length; i++) result |= (code >> i & 1) << length - 1 - i;
  return result;
}
