/**
 * Counter-based random numbers. Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) maps a counter of four words and
 * a key of two words to four random words. The counter consists of the index of an atom within its system, the age of
 * the system or 0, the id of the system, and the stream. The key consists of the two halves of a seed.
 *
 * Equal counters and keys give equal numbers on every backend, in any order and on any number of threads.
 *
 * @module
 */

/** The uses of random numbers, as the fourth word of the counter. With them, two uses never share a number. */
export const Stream = {
  /** Noise of a thermostat that acts on each atom. */
  THERMOSTAT: 0,
  /** Initial velocities. */
  VELOCITIES: 1,
  /** Random displacements of a structure. */
  RATTLE: 2,
  /** Initial values, such as weights of models and noise. */
  NUMBERS: 3,
  /** Noise of a thermostat that scales all velocities of a system by one factor. */
  RESCALING: 4,
} as const;

const M0 = 0xD2511F53, M1 = 0xCD9E8D57;
const W0 = 0x9E3779B9, W1 = 0xBB67AE85;
const ROUNDS = 10;

/**
 * Computes four random words for the counter (`c0`, `c1`, `c2`, `c3`) and the key (`k0`, `k1`) and
 * writes them to `out`. Words are taken modulo 2³².
 *
 * ```ts
 * import { philox } from "./philox.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const words = new Uint32Array(4);
 * philox(0, 0, 0, 0, 0, 0, words);
 * assertEquals([...words], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
 * ```
 */
export function philox(
  c0: number,
  c1: number,
  c2: number,
  c3: number,
  k0: number,
  k1: number,
  out: Uint32Array,
): void {
  for (let round = 0; round < ROUNDS; round++) {
    const a = highWord(M1, c2) ^ c1 ^ k0, b = Math.imul(M1, c2);
    const c = highWord(M0, c0) ^ c3 ^ k1, d = Math.imul(M0, c0);
    c0 = a, c1 = b, c2 = c, c3 = d;
    k0 = (k0 + W0) | 0, k1 = (k1 + W1) | 0;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/**
 * Returns the upper 32 bits of the product of two words. It uses products of 16-bit halves, which do not exceed 32
 * bits.
 */
function highWord(a: number, b: number): number {
  const ah = a >>> 16, al = a & 0xffff, bh = b >>> 16, bl = b & 0xffff;
  const mixed = (Math.imul(ah, bl) >>> 0) + (Math.imul(al, bl) >>> 16);
  const middle = (Math.imul(al, bh) >>> 0) + (mixed & 0xffff);
  return (Math.imul(ah, bh) + (mixed >>> 16) + (middle >>> 16)) | 0;
}

/** Returns a number above 0 and below 1 from the upper 31 bits of a word: u = (⌊x/2⌋ + ½)/2³¹. */
export function uniform(word: number): number {
  return ((word >>> 1) + 0.5) / 0x80000000;
}

/**
 * Writes four normally distributed numbers to `out`, made of four random words (Box and Muller): √(−2 ln u) (cos θ,
 * sin θ) with u from the first word of a pair and θ = 2π x/2³² from the second word x. Their absolute values are at
 * most 6.66.
 */
export function gaussians(words: Uint32Array, out: Float64Array): void {
  for (let pair = 0; pair < 4; pair += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform(words[pair]!)));
    const angle = words[pair + 1]! * (2 * Math.PI / 0x100000000);
    out[pair] = radius * Math.cos(angle);
    out[pair + 1] = radius * Math.sin(angle);
  }
}
