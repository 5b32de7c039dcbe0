/**
 * Finite-state entropy codes of Zstandard (RFC 8878, section 4.1).
 *
 * @module
 */

import { type BackwardBits, damaged, ForwardBits } from "./bits.ts";

/** A code: for each state its symbol, and where the next state begins and how many bits are added to it. */
export interface FseTable {
  /** Number of bits of the first state. */
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

/** Reads the probabilities of the symbols, and returns the table and the number of bytes that they take. */
export function readFse(bytes: Uint8Array, mostLog: number): readonly [FseTable, number] {
  const bits = new ForwardBits(bytes), log = bits.take(4) + 5;
  if (log > mostLog) damaged();
  const shares: number[] = [];
  let left = (1 << log) + 1, threshold = 1 << log, width = log + 1;
  while (left > 1) {
    const most = 2 * threshold - 1 - left;
    // Small values take a bit less.
    let value = bits.take(width - 1);
    if (value >= most) {
      value |= bits.take(1) << (width - 1);
      if (value >= threshold) value -= most;
    }
    const share = value - 1;
    left -= Math.abs(share);
    shares.push(share);
    if (share === 0) {
      for (let more = 3; more === 3;) {
        more = bits.take(2);
        for (let i = 0; i < more; i++) shares.push(0);
      }
    }
    if (shares.length > 256) damaged();
    while (left < threshold) {
      threshold >>= 1;
      width--;
    }
  }
  if (left !== 1) damaged();
  return [fseTable(shares, log), bits.bytesUsed];
}

/** Builds a table from the shares of the symbols. A share of −1 is less than one state. */
export function fseTable(shares: readonly number[], log: number): FseTable {
  const size = 1 << log, symbols = new Uint8Array(size);
  const next = shares.map((share) => Math.abs(share));
  let high = size - 1;
  shares.forEach((share, symbol) => {
    if (share === -1) symbols[high--] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  shares.forEach((share, symbol) => {
    for (let i = 0; i < share; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1); while (at > high);
    }
  });
  const bits = new Uint8Array(size), bases = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const count = next[symbols[state]!]!++;
    bits[state] = log - (31 - Math.clz32(count));
    bases[state] = (count << bits[state]!) - size;
  }
  return { log, symbols, bits, bases };
}

/** Returns the table of a code with one symbol, which takes no bits. */
export function singleTable(symbol: number): FseTable {
  return {
    log: 0,
    symbols: Uint8Array.of(symbol),
    bits: Uint8Array.of(0),
    bases: Uint16Array.of(0),
  };
}

/** A state of a code. */
export class FseState {
  readonly #table: FseTable;
  readonly #bits: BackwardBits;
  #state: number;

  constructor(table: FseTable, bits: BackwardBits) {
    this.#table = table;
    this.#bits = bits;
    this.#state = bits.take(table.log);
  }

  /** Symbol of the state. */
  get symbol(): number {
    return this.#table.symbols[this.#state]!;
  }

  /** Goes on to the next state. */
  advance(): void {
    const { bits, bases } = this.#table;
    this.#state = bases[this.#state]! + this.#bits.take(bits[this.#state]!);
  }
}
