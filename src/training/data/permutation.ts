/**
 * Random orders of samples that depend only on a seed and an epoch.
 *
 * @module
 */

import { seedWords } from "../../batch/seed.ts";

/**
 * Returns the numbers 0 … count − 1 in a random order, which depends only on the seed and the epoch.
 *
 * This is the shuffle of Fisher and Yates. The k-th swap uses a hash of the seed, the epoch and k, so no state of a
 * generator has to be saved to resume at an epoch.
 *
 * @throws {RangeError} if the seed is not an integer from 0 to 2⁵³ − 1
 */
export function permutation(count: number, seed: number, epoch: number): Uint32Array {
  const words = [...seedWords(seed, "shuffle"), ...seedWords(epoch, "shuffle")];
  // Two words are used, because one would allow only 2³² orders. The initial values are digits of π.
  const high = words.reduce(joined, 0x243f6a88);
  const low = words.reduce(joined, 0x85a308d3);
  const order = identity(count);
  // hot
  for (let k = count - 1; k > 0; k--) {
    const step = Math.imul(k, GOLDEN);
    const upper = mixed(high + step), lower = mixed(low ^ mixed(upper + step));
    const chosen = Math.floor(unit(upper, lower) * (k + 1));
    const other = order[chosen]!;
    order[chosen] = order[k]!;
    order[k] = other;
  }
  return order;
}

/** Returns the numbers 0 … count − 1 in ascending order. */
export function identity(count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  return order;
}

/** 2³² divided by the golden ratio. Its multiples modulo 2³² are spread evenly. */
const GOLDEN = 0x9e3779b9;

/** Applies the finalizer of MurmurHash3: each input bit flips about half of the output bits. */
function mixed(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ h >>> 16, 0x85ebca6b);
  h = Math.imul(h ^ h >>> 13, 0xc2b2ae35);
  return h ^ h >>> 16;
}

/** Mixes `word` into a hash, and returns the new hash. */
function joined(hash: number, word: number): number {
  return mixed(Math.imul(hash, 5) + GOLDEN ^ word);
}

/** Returns a number of at least 0 and below 1, in steps of 2⁻⁵³, from two random words. */
function unit(upper: number, lower: number): number {
  return ((upper >>> 5) * 2 ** 26 + (lower >>> 6)) / 2 ** 53;
}
