/**
 * The compressed coordinates of XTC files: integers in units of 1/precision, some as small differences to the atom
 * before.
 *
 * @module
 */

import type { ByteReader, ByteWriter } from "../bytes.ts";
import {
  bitLength,
  bitLengthOfProduct,
  BitReader,
  BitWriter,
  FIRST_INDEX,
  LAST_INDEX,
  sizeOfIndex,
} from "./packed_integers.ts";

/** Frames of this many atoms or fewer are not compressed. */
export const UNCOMPRESSED = 9;

/** Ranges above this number of values are packed one by one instead of as a triple. */
const LARGEST_RANGE = 0xffffff;

/** Reads the compressed coordinates of a frame, nm. `isLong` is true for the variant with lengths of 64 bits. */
export function readCoordinates(reader: ByteReader, atoms: number, isLong: boolean): Float64Array {
  const [precision = 0] = reader.f32s(1);
  if (!(precision > 0)) throw reader.error(`the precision must be positive; got ${precision}`);
  const least = [reader.i32(), reader.i32(), reader.i32()];
  const sizes = least.map((low) => reader.i32() - low + 1);
  const index = reader.i32();
  const length = isLong ? reader.i64() : reader.i32();
  if (
    sizes.some((size) => !(size > 0 && size <= 2 ** 32)) || index < FIRST_INDEX ||
    index > LAST_INDEX
  ) {
    throw reader.error("the ranges of the coordinates are damaged");
  }
  const bits = new BitReader(reader.take(length));
  reader.take((4 - length % 4) % 4);
  const integers = unpack(bits, { atoms, least, sizes, index });
  if (integers === undefined || bits.isBeyond) {
    throw reader.error("the compressed coordinates are damaged");
  }
  return Float64Array.from(integers, (x) => x / precision);
}

interface Packing {
  readonly atoms: number;
  readonly least: readonly number[];
  readonly sizes: readonly number[];
  readonly index: number;
}

/**
 * Unpacks integers: an atom in full, and then a run of up to eight atoms as small differences, each to the atom
 * before. The first two atoms of a run are stored in exchanged order, because in water the oxygen lies between two
 * hydrogens. Returns `undefined` if the runs do not fit.
 */
function unpack(
  bits: BitReader,
  { atoms, least, sizes, index }: Packing,
): Float64Array | undefined {
  const out = new Float64Array(3 * atoms), here = [0, 0, 0], before = [0, 0, 0];
  const isTriple = sizes.every((size) => size <= LARGEST_RANGE), width = bitLengthOfProduct(sizes);
  let run = 0, i = 0;
  const write = (values: readonly number[]) => {
    for (let k = 0; k < 3; k++) out[3 * i + k] = values[k]!;
    i++;
  };
  while (i < atoms) {
    if (isTriple) bits.takeTriple(width, sizes, here);
    else for (let k = 0; k < 3; k++) here[k] = bits.take(bitLength(sizes[k]!));
    for (let k = 0; k < 3; k++) before[k] = here[k]! += least[k]!;
    let change = 0;
    if (bits.take(1) === 1) {
      run = bits.take(5);
      change = run % 3 - 1;
      run -= run % 3;
    }
    if (i + 1 + run / 3 > atoms) return undefined;
    if (run === 0) write(here);
    const size = sizeOfIndex(index), small = [size, size, size];
    for (let k = 0; k < run; k += 3) {
      bits.takeTriple(index, small, here);
      for (let d = 0; d < 3; d++) here[d]! += before[d]! - Math.floor(size / 2);
      write(here);
      if (k === 0) write(before);
      for (let d = 0; d < 3; d++) before[d] = here[d]!;
    }
    index += change;
    if (index < FIRST_INDEX || index > LAST_INDEX) return undefined;
  }
  return out;
}

/**
 * Writes coordinates (nm) without runs of small differences. Every reader accepts them; the file is larger than that
 * of a writer with runs.
 */
export function writeCoordinates(
  out: ByteWriter,
  positions: ArrayLike<number>,
  precision: number,
): void {
  const integers = Float64Array.from(positions, (x) => Math.round(x * precision));
  const least = [Infinity, Infinity, Infinity], most = [-Infinity, -Infinity, -Infinity];
  integers.forEach((x, i) => {
    least[i % 3] = Math.min(least[i % 3]!, x);
    most[i % 3] = Math.max(most[i % 3]!, x);
  });
  if (![...least, ...most].every((x) => Math.abs(x) < 2 ** 31 - 2)) {
    throw new RangeError(
      "Cannot write XTC: positions must be finite and within 200,000 nm of the origin; write .xyz instead",
    );
  }
  const sizes = least.map((low, k) => most[k]! - low + 1);
  const bits = new BitWriter(), isTriple = sizes.every((size) => size <= LARGEST_RANGE);
  const width = bitLengthOfProduct(sizes);
  for (let i = 0; i < integers.length; i += 3) {
    const offsets = [0, 1, 2].map((k) => integers[i + k]! - least[k]!);
    if (isTriple) bits.putTriple(width, sizes, offsets);
    else offsets.forEach((x, k) => bits.put(bitLength(sizes[k]!), x));
    bits.put(1, 0); // the length of runs stays 0
  }
  const packed = bits.all();
  out.f32s([precision]);
  for (const value of [...least, ...most, FIRST_INDEX, packed.length]) out.i32(value);
  out.bytes(packed);
  out.bytes(new Uint8Array((4 - packed.length % 4) % 4));
}
