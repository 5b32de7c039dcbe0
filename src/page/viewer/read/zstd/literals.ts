/**
 * Literals of a block of Zstandard: the bytes that are not copied from earlier output (RFC 8878, section 3.1.1.3.1).
 *
 * @module
 */

import { BackwardBits, damaged } from "./bits.ts";
import { FseState, readFse } from "./fse.ts";

/** A Huffman code: symbol and number of bits for each combination of the next `log` bits. */
export interface HuffmanTable {
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly lengths: Uint8Array;
}

/** Longest code, bits. */
const LONGEST = 11;

/** Largest number of literals of a block. */
const MOST = 1 << 17;

/** Literals of a block, the number of bytes that they take, and the code for later blocks. */
export interface Literals {
  readonly bytes: Uint8Array;
  readonly used: number;
  readonly table: HuffmanTable | undefined;
}

/** Reads literals. `before` is the code of an earlier block. */
export function readLiterals(block: Uint8Array, before: HuffmanTable | undefined): Literals {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = block;
  const type = first & 3, format = first >> 2 & 3;
  if (type < 2) {
    const head = format === 1 ? 2 : format === 3 ? 3 : 1;
    const all = first | second << 8 | third << 16;
    const size = head === 1 ? first >> 3 : (head === 2 ? all & 0xffff : all) >> 4;
    const used = head + (type === 0 ? size : 1);
    if (size > MOST || used > block.length) damaged();
    const bytes = type === 0 ? block.subarray(head, used) : new Uint8Array(size).fill(block[head]!);
    return { bytes, used, table: before };
  }
  const head = [3, 3, 4, 5][format]!, width = [10, 10, 14, 18][format]!;
  // Up to 40 bits, which a double holds exactly.
  const both = Math.floor(
    (first + second * 256 + third * 65536 + fourth * 2 ** 24 + fifth * 2 ** 32) / 16,
  );
  const size = both % 2 ** width, packed = Math.floor(both / 2 ** width) % 2 ** width;
  const used = head + packed;
  if (size > MOST || used > block.length) damaged();
  let data = block.subarray(head, used), table = before;
  if (type === 2) {
    const [read, length] = readHuffman(data);
    table = read;
    data = data.subarray(length);
  }
  if (table === undefined) damaged();
  return { bytes: decodeStreams(data, size, format === 0 ? 1 : 4, table!), used, table };
}

function decodeStreams(
  data: Uint8Array,
  size: number,
  streams: 1 | 4,
  table: HuffmanTable,
): Uint8Array {
  const bytes = new Uint8Array(size);
  if (streams === 1) {
    decodeStream(data, bytes, table);
    return bytes;
  }
  if (data.length < 6) damaged();
  const quarter = Math.ceil(size / 4);
  let from = 6;
  for (let k = 0; k < 4; k++) {
    const end = k === 3 ? data.length : from + (data[2 * k]! | data[2 * k + 1]! << 8);
    if (end > data.length || quarter * k > size) damaged();
    const until = k === 3 ? size : Math.min(size, quarter * (k + 1));
    decodeStream(data.subarray(from, end), bytes.subarray(quarter * k, until), table);
    from = end;
  }
  return bytes;
}

function decodeStream(
  data: Uint8Array,
  into: Uint8Array,
  { log, symbols, lengths }: HuffmanTable,
): void {
  const bits = new BackwardBits(data);
  for (let i = 0; i < into.length; i++) {
    const code = bits.peek(log);
    into[i] = symbols[code]!;
    bits.left -= lengths[code]!;
  }
  if (bits.left !== 0) damaged();
}

function readHuffman(data: Uint8Array): readonly [HuffmanTable, number] {
  const head = data[0] ?? 0;
  if (head >= 128) {
    const count = head - 127, used = 1 + Math.ceil(count / 2);
    if (used > data.length) damaged();
    const weights = Array.from(
      { length: count },
      (_, i) => i % 2 === 0 ? data[1 + (i >> 1)]! >> 4 : data[1 + (i >> 1)]! & 15,
    );
    return [huffmanTable(weights), used];
  }
  if (1 + head > data.length) damaged();
  return [huffmanTable(packedWeights(data.subarray(1, 1 + head))), 1 + head];
}

/** Reads weights by two states in turn, until the bits are used up. */
function packedWeights(data: Uint8Array): number[] {
  const [table, used] = readFse(data, 6);
  const bits = new BackwardBits(data.subarray(used));
  const states = [new FseState(table, bits), new FseState(table, bits)] as const;
  const weights: number[] = [];
  for (let turn: 0 | 1 = 0;; turn = turn === 0 ? 1 : 0) {
    weights.push(states[turn].symbol);
    states[turn].advance();
    if (bits.left < 0) {
      weights.push(states[turn === 0 ? 1 : 0].symbol);
      return weights;
    }
    if (weights.length > 255) damaged();
  }
}

/** Builds the code from the weights of all symbols but the last, which follows from them. */
function huffmanTable(weights: readonly number[]): HuffmanTable {
  const sum = weights.reduce((total, weight) => total + (weight === 0 ? 0 : 1 << (weight - 1)), 0);
  if (sum === 0) damaged();
  const log = 32 - Math.clz32(sum), rest = (1 << log) - sum;
  if (log > LONGEST || (rest & (rest - 1)) !== 0) damaged();
  const all = [...weights, 32 - Math.clz32(rest)];
  const symbols = new Uint8Array(1 << log), lengths = new Uint8Array(1 << log);
  let at = 0;
  for (let weight = 1; weight <= log; weight++) {
    all.forEach((its, symbol) => {
      if (its !== weight) return;
      const end = at + (1 << (weight - 1));
      symbols.fill(symbol, at, end);
      lengths.fill(log + 1 - weight, at, end);
      at = end;
    });
  }
  return { log, symbols, lengths };
}
