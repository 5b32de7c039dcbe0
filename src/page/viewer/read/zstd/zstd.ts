/**
 * Decompression of Zstandard (RFC 8878). Web pages have no function for it.
 *
 * @module
 */

import { BackwardBits, damaged } from "./bits.ts";
import { FseState, type FseTable, fseTable, readFse, singleTable } from "./fse.ts";
import { type HuffmanTable, readLiterals } from "./literals.ts";

const MAGIC = 0xfd2fb528;
/** Frames that hold other data begin with one of 16 such numbers. */
const SKIPPABLE = 0x184d2a50;

/** A number that a code stands for: its least value, and the number of bits that are added. */
interface Code {
  readonly base: readonly number[];
  readonly bits: readonly number[];
  /** Shares of the code that blocks need not describe, and their log. */
  readonly shares: readonly number[];
  readonly log: number;
  readonly mostLog: number;
}

const LENGTH_BITS = bitCounts(16, "1111223346789abcdefg");
const MATCH_BITS = bitCounts(32, "11112233445789abcdefg");
const OFFSET_BITS = Array.from({ length: 32 }, (_, code) => code);

/** Numbers of literals, lengths of copies, and offsets of copies. */
const LITERALS: Code = {
  base: basesOf(LENGTH_BITS, 0),
  bits: LENGTH_BITS,
  shares: [4, 3, ...twice(11), 1, 1, 1, ...twice(9), 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
  log: 6,
  mostLog: 9,
};
const MATCHES: Code = {
  base: basesOf(MATCH_BITS, 3),
  bits: MATCH_BITS,
  shares: [
    1,
    4,
    3,
    ...twice(6),
    ...new Array<number>(37).fill(1),
    ...new Array<number>(7).fill(-1),
  ],
  log: 6,
  mostLog: 9,
};
const OFFSETS: Code = {
  base: OFFSET_BITS.map((bits) => 2 ** bits),
  bits: OFFSET_BITS,
  shares: [
    ...new Array<number>(6).fill(1),
    2,
    2,
    2,
    ...new Array<number>(15).fill(1),
    -1,
    -1,
    -1,
    -1,
    -1,
  ],
  log: 5,
  mostLog: 8,
};

/** Returns the numbers of added bits: zeros for the first codes, then digits in base 17. */
function bitCounts(zeros: number, digits: string): number[] {
  return Array.from("0".repeat(zeros) + digits, (digit) => parseInt(digit, 17));
}

function twice(count: number): number[] {
  return new Array<number>(count).fill(2);
}

/** Codes follow each other without gaps. */
function basesOf(bits: readonly number[], first: number): number[] {
  let next = first;
  return bits.map((count) => {
    const base = next;
    next += 2 ** count;
    return base;
  });
}

/** State that blocks of a frame leave to later ones. */
interface Left {
  huffman: HuffmanTable | undefined;
  /** Tables of numbers of literals, offsets, and lengths of copies. */
  tables: (FseTable | undefined)[];
  readonly offsets: [number, number, number];
}

/** Output that grows up to a largest size. */
interface Output {
  bytes: Uint8Array<ArrayBuffer>;
  size: number;
  readonly most: number;
}

/**
 * Decompresses data.
 *
 * @param most largest accepted number of bytes
 * @throws {SyntaxError} if the data are damaged, need a dictionary, or are larger than `most`
 */
export function unpackZstd(data: Uint8Array, most: number): Uint8Array<ArrayBuffer> {
  const out: Output = { bytes: new Uint8Array(Math.min(most, 1 << 16)), size: 0, most };
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = 0;
  while (at < data.length) {
    if (at + 8 > data.length) damaged();
    const magic = view.getUint32(at, true);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) at += 8 + view.getUint32(at + 4, true);
    else if (magic === MAGIC) at = readFrame(data, at + 4, out);
    else damaged();
  }
  if (at > data.length) damaged();
  return out.bytes.slice(0, out.size);
}

/** Decompresses a frame, and returns the position after it. */
function readFrame(data: Uint8Array, from: number, out: Output): number {
  const flags = data[from]!, isSingle = (flags & 32) !== 0;
  if ((flags & 3) !== 0) {
    throw new SyntaxError("Cannot decompress: the data need a dictionary");
  }
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6]!;
  let at = from + 1 + (isSingle ? 0 : 1) + sizeBytes;
  const left: Left = { huffman: undefined, tables: [], offsets: [1, 4, 8] };
  for (let isLast = false; !isLast;) {
    if (at + 3 > data.length) damaged();
    const head = data[at]! | data[at + 1]! << 8 | data[at + 2]! << 16, size = head >> 3;
    const type = head >> 1 & 3, used = type === 1 ? 1 : size;
    isLast = (head & 1) === 1;
    at += 3;
    if (at + used > data.length) damaged();
    const block = data.subarray(at, at + used);
    at += used;
    if (type === 0) append(out, block);
    else if (type === 1) append(out, new Uint8Array(checkedSize(out, size)).fill(block[0]!));
    else if (type === 2) readBlock(block, left, out);
    else damaged();
  }
  return at + ((flags & 4) === 0 ? 0 : 4);
}

function readBlock(block: Uint8Array, left: Left, out: Output): void {
  const { bytes: literals, used, table } = readLiterals(block, left.huffman);
  left.huffman = table;
  let at = used;
  const first = block[at++] ?? damaged();
  let count: number = first;
  if (first >= 128) {
    const second = block[at++] ?? damaged();
    count = first < 255
      ? ((first - 128) << 8) + second
      : second + ((block[at++] ?? damaged()) << 8) + 0x7f00;
  }
  if (count === 0) return append(out, literals);
  const modes = block[at++] ?? damaged();
  const tables = [LITERALS, OFFSETS, MATCHES].map((code, k) => {
    const mode = modes >> (6 - 2 * k) & 3;
    if (mode === 0) return fseTable(code.shares, code.log);
    if (mode === 1) return singleTable(block[at++] ?? damaged());
    if (mode === 3) return left.tables[k] ?? damaged();
    const [read, length] = readFse(block.subarray(at), code.mostLog);
    at += length;
    return read;
  });
  left.tables = tables;
  copySequences(block.subarray(at), count, { literals, tables, offsets: left.offsets }, out);
}

/** Writes literals and copies of earlier output in turn. */
function copySequences(
  data: Uint8Array,
  count: number,
  { literals, tables, offsets }: {
    readonly literals: Uint8Array;
    readonly tables: readonly FseTable[];
    readonly offsets: Left["offsets"];
  },
  out: Output,
): void {
  const bits = new BackwardBits(data);
  const [lengths, places, matches] = tables.map((table) => new FseState(table, bits)) as [
    FseState,
    FseState,
    FseState,
  ];
  const numberOf = ({ base, bits: extra }: Code, { symbol }: FseState) =>
    (base[symbol] ?? damaged()) + bits.take(extra[symbol]!);
  let taken = 0;
  for (let i = 0; i < count; i++) {
    const place = numberOf(OFFSETS, places), length = numberOf(MATCHES, matches);
    const before = numberOf(LITERALS, lengths);
    const offset = offsetOf(place, before === 0, offsets);
    if (taken + before > literals.length) damaged();
    append(out, literals.subarray(taken, taken + before));
    taken += before;
    repeat(out, offset, length);
    if (i + 1 === count) break;
    lengths.advance();
    matches.advance();
    places.advance();
  }
  if (bits.left !== 0) damaged();
  append(out, literals.subarray(taken));
}

/** Returns the offset of a copy. The values 1 to 3 stand for the last offsets, which are kept in order of use. */
function offsetOf(value: number, hasNoLiterals: boolean, offsets: Left["offsets"]): number {
  const [first, second, third] = offsets;
  if (value > 3) {
    offsets.splice(0, 3, value - 3, first, second);
    return value - 3;
  }
  const index = value - 1 + (hasNoLiterals ? 1 : 0);
  if (index === 0) return first;
  const offset = index === 3 ? first - 1 : offsets[index]!;
  offsets.splice(0, 3, offset, first, index === 1 ? third : second);
  return offset;
}

function repeat(out: Output, offset: number, length: number): void {
  if (offset < 1 || offset > out.size) damaged();
  reserve(out, checkedSize(out, length));
  const { bytes, size } = out, from = size - offset;
  if (offset >= length) bytes.copyWithin(size, from, from + length);
  else for (let k = 0; k < length; k++) bytes[size + k] = bytes[from + k]!; // the copy reads what it writes
  out.size += length;
}

function append(out: Output, bytes: Uint8Array): void {
  reserve(out, checkedSize(out, bytes.length));
  out.bytes.set(bytes, out.size);
  out.size += bytes.length;
}

function checkedSize({ size, most }: Output, more: number): number {
  if (size + more <= most) return more;
  throw new SyntaxError(`Cannot decompress: the data must have at most ${most} bytes; got more`);
}

function reserve(out: Output, more: number): void {
  if (out.size + more <= out.bytes.length) return;
  const larger = new Uint8Array(
    Math.min(out.most, Math.max(2 * out.bytes.length, out.size + more)),
  );
  larger.set(out.bytes);
  out.bytes = larger;
}
