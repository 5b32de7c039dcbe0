/**
 * Exclusions: pairs of atoms whose interaction is scaled, usually to zero.
 *
 * With exclusions, the argument `species` of pair potentials has one row per atom, all of the same length. The first
 * word of a row has the type of the atom in its low bits and the flags of the periodic directions above them. Two words
 * follow for each exclusion of the atom: the index of the other atom within the system, and the bits of the float32
 * that scales the energy and the force of the pair. Shorter rows are padded with −1. Each pair is in the rows of both
 * atoms. Only its nearest image is excluded: the one whose lattice coordinates are from −½ to ½.
 *
 * @module
 */

import { latticeOf } from "./lattice.ts";

/** Bits of the first word of a row that contain the type of the atom. */
export const TYPE_BITS = 0xffffff;

/** Number of these bits. The flags of the periodic directions are stored above them. */
export const PERIODIC_SHIFT = 24;

const words = new Int32Array(1);
const floats = new Float32Array(words.buffer);

/** Returns the bits of a float32 as an integer. */
export function bitsOf(value: number): number {
  floats[0] = value;
  return words[0]!;
}

/**
 * Returns the factor of the energy and the force of the pair of atoms i and j; 1 if it is not excluded. `stride` is
 * the length of a row of `species`, `first` the first atom of the system, `h` the offset of the cell, and `r` the
 * vector from j to i.
 */
export function scaleOf(
  { species, stride, first, cell, h }: {
    readonly species: Int32Array;
    readonly stride: number;
    readonly first: number;
    readonly cell: ArrayLike<number>;
    readonly h: number;
  },
  i: number,
  j: number,
  r: ArrayLike<number>,
): number {
  for (let at = stride * i + 1; at < stride * (i + 1); at += 2) {
    if (species[at] !== j - first) continue;
    const periodic = species[stride * i]! >> PERIODIC_SHIFT;
    if (!isNearest(r, Array.from({ length: 9 }, (_, k) => cell[h + k]!), periodic, i < j)) return 1;
    words[0] = species[at + 1]!;
    return floats[0]!;
  }
  return 1;
}

function isNearest(
  r: ArrayLike<number>,
  cell: readonly number[],
  periodic: number,
  isForward: boolean,
): boolean {
  const { inverse } = latticeOf(cell, [periodic & 1, periodic & 2, periodic & 4]);
  return [0, 1, 2].every((k) => {
    if ((periodic >> k & 1) === 0) return true;
    const along = r[0]! * inverse[3 * k]! + r[1]! * inverse[3 * k + 1]! +
      r[2]! * inverse[3 * k + 2]!;
    const place = isForward ? along : -along;
    return place >= -0.5 && place < 0.5;
  });
}
