import type { SystemPairs } from "./pair_list.ts";
import { type Lattice, latticeOf } from "./lattice.ts";

/** Number of atoms below which all pairs are tested, because sorting so few atoms into bins would take longer. */
const BRUTE_FORCE = 64;

/**
 * Smallest allowed height of a cell, as a fraction of the reach. A flatter cell would have too many images within
 * reach.
 */
export const FLATTEST: number = 1 / 64;

/** Returns whether the heights of a cell allow a search of all its images within reach. */
export function isDeepEnough(
  cell: ArrayLike<number>,
  pbc: ArrayLike<number>,
  reach: number,
): boolean {
  const { heights, periodic } = latticeOf(cell, pbc);
  return periodic.every((isPeriodic, k) => !isPeriodic || heights[k]! >= FLATTEST * reach);
}

/**
 * Finds all pairs within `reach` of the positions in `pairs.reference`. A pair consists of an atom and an image of
 * another atom, or of itself. Each pair is listed once. Cells may have any shape and periodicity. `reach` may be
 * longer than the cell, so that an atom has several images of another one as neighbors.
 *
 * Atoms are sorted into bins along the lattice directions. All neighbors of an atom are in the bins around its own
 * bin, including bins shifted by lattice vectors. A small system has one bin.
 */
export function findPairs(pairs: SystemPairs, pbc: ArrayLike<number>, reach: number): void {
  const lattice = latticeOf(pairs.cell, pbc);
  const grid = makeGrid(pairs.reference, lattice, reach);
  pairs.count = 0;
  const atoms = pairs.reference.length / 3;
  for (let i = 0; i < atoms; i++) findPairsOf(i, pairs, lattice, grid, reach);
}

/** The atoms of a system, sorted into bins. */
interface Grid {
  /** Number of bins along each lattice direction. */
  readonly counts: Int32Array;
  /** Number of bins, including their images, that are within reach on either side, along each lattice direction. */
  readonly ranges: Int32Array;
  /** Index of the bin of each atom along each lattice direction. */
  readonly bins: Int32Array;
  /** Positions of the atoms, wrapped into the cell, Å. */
  readonly wrapped: Float64Array;
  /** Lattice translations that wrapping has added, three integers per atom. */
  readonly wraps: Int32Array;
  /**
   * Index in `order` of the first atom of each bin, followed by the number of atoms. `order` lists all atoms, sorted
   * by bin.
   */
  readonly starts: Int32Array;
  readonly order: Int32Array;
}

function makeGrid(reference: Float64Array, lattice: Lattice, reach: number): Grid {
  const atoms = reference.length / 3;
  const places = new Float64Array(3 * atoms);
  const wraps = new Int32Array(3 * atoms);
  const wrapped = reference.slice();
  const [counts, ranges] = [new Int32Array(3), new Int32Array(3)];
  const bins = new Int32Array(3 * atoms);
  for (let k = 0; k < 3; k++) {
    placeAlong(k, reference, lattice, places, wraps);
    const [low, size] = extentAlong(k, places, lattice);
    const height = size * lattice.heights[k]!;
    // There are at most 8 bins per atom in all. A large, sparse cell would otherwise need too much memory for its bins.
    const most = atoms < BRUTE_FORCE ? 1 : Math.ceil(2 * Math.cbrt(atoms));
    counts[k] = Math.max(1, Math.min(Math.floor(height / reach), most));
    const isOpen = !lattice.periodic[k];
    ranges[k] = isOpen && counts[k] === 1 ? 0 : Math.ceil(reach * counts[k]! / height);
    for (let i = k; i < 3 * atoms; i += 3) {
      // Rounding may put an atom at the upper end of the range, or a little below its lower end.
      const bin = Math.floor((places[i]! - low) / size * counts[k]!);
      bins[i] = Math.max(0, Math.min(counts[k]! - 1, bin));
      if (wraps[i] === 0) continue;
      for (let d = 0; d < 3; d++) wrapped[i - k + d]! += wraps[i]! * lattice.rows[3 * k + d]!;
    }
  }
  return { counts, ranges, bins, wrapped, wraps, ...sortIntoBins(counts, bins) };
}

/**
 * Writes the coordinates of all atoms along one lattice direction to `places`. Along a periodic direction, they are
 * wrapped into [0, 1), and `wraps` gets the translations.
 */
function placeAlong(
  k: number,
  reference: Float64Array,
  { inverse, periodic }: Lattice,
  places: Float64Array,
  wraps: Int32Array,
): void {
  for (let i = 0; i < reference.length; i += 3) {
    const place = reference[i]! * inverse[3 * k]! + reference[i + 1]! * inverse[3 * k + 1]! +
      reference[i + 2]! * inverse[3 * k + 2]!;
    const whole = periodic[k] ? Math.floor(place) : 0;
    places[i + k] = place - whole;
    if (whole !== 0) wraps[i + k] = -whole;
  }
}

/**
 * Returns the range of the atoms along one lattice direction, in lattice coordinates; [0, 1] if the direction is
 * periodic.
 */
function extentAlong(
  k: number,
  places: Float64Array,
  { periodic }: Lattice,
): [low: number, size: number] {
  if (periodic[k]) return [0, 1];
  let [low, high] = [Infinity, -Infinity];
  for (let i = k; i < places.length; i += 3) {
    low = Math.min(low, places[i]!);
    high = Math.max(high, places[i]!);
  }
  return high > low ? [low, high - low] : [low, 1];
}

function sortIntoBins(counts: Int32Array, bins: Int32Array): Pick<Grid, "starts" | "order"> {
  const starts = new Int32Array(counts[0]! * counts[1]! * counts[2]! + 1);
  const order = new Int32Array(bins.length / 3);
  const binOf = (i: number) =>
    (bins[3 * i]! * counts[1]! + bins[3 * i + 1]!) * counts[2]! + bins[3 * i + 2]!;
  for (let i = 0; i < order.length; i++) starts[binOf(i) + 1]! += 1;
  for (let b = 1; b < starts.length; b++) starts[b]! += starts[b - 1]!;
  const next = starts.slice();
  for (let i = 0; i < order.length; i++) order[next[binOf(i)]!++] = i;
  return { starts, order };
}

/** Finds the pairs of atom i with later atoms, and with those of its own images that lie in a positive direction. */
function findPairsOf(
  i: number,
  pairs: SystemPairs,
  lattice: Lattice,
  grid: Grid,
  reach: number,
): void {
  const { counts, ranges, bins, starts, order } = grid;
  const [a, b, c] = [bins[3 * i]!, bins[3 * i + 1]!, bins[3 * i + 2]!];
  for (let u = a - ranges[0]!; u <= a + ranges[0]!; u++) {
    const p = imageOf(0, u, lattice, counts);
    if (p === undefined) continue;
    for (let v = b - ranges[1]!; v <= b + ranges[1]!; v++) {
      const q = imageOf(1, v, lattice, counts);
      if (q === undefined) continue;
      for (let w = c - ranges[2]!; w <= c + ranges[2]!; w++) {
        const r = imageOf(2, w, lattice, counts);
        if (r === undefined) continue;
        const bin = ((u - p * counts[0]!) * counts[1]! + v - q * counts[1]!) * counts[2]! + w -
          r * counts[2]!;
        for (let o = starts[bin]!; o < starts[bin + 1]!; o++) {
          const j = order[o]!;
          // Each pair is listed once. Of two atoms, the first one lists it. Of the two opposite translations of an atom's
          // own image, the positive one is listed.
          if (j < i || j === i && !isPositive(p, q, r)) continue;
          addIfNear(i, j, p, q, r, pairs, lattice, grid, reach);
        }
      }
    }
  }
}

/**
 * Returns the image of the cell that contains a bin along direction k, or `undefined` if there is no such image
 * because the direction is not periodic.
 */
function imageOf(k: number, bin: number, { periodic }: Lattice, counts: Int32Array) {
  const image = Math.floor(bin / counts[k]!);
  return image === 0 || periodic[k] ? image : undefined;
}

function isPositive(p: number, q: number, r: number): boolean {
  return p > 0 || p === 0 && (q > 0 || q === 0 && r > 0);
}

function addIfNear(
  i: number,
  j: number,
  p: number,
  q: number,
  r: number,
  pairs: SystemPairs,
  { rows }: Lattice,
  { wrapped, wraps }: Grid,
  reach: number,
): void {
  let square = 0;
  for (let d = 0; d < 3; d++) {
    const image = p * rows[d]! + q * rows[3 + d]! + r * rows[6 + d]!;
    const delta = wrapped[3 * i + d]! - wrapped[3 * j + d]! - image;
    square += delta * delta;
  }
  if (!(square <= reach * reach)) return; // also true for NaN
  if (pairs.count === pairs.i.length) grow(pairs);
  const at = pairs.count++;
  pairs.i[at] = i;
  pairs.j[at] = j;
  // Shifts refer to the positions before they were wrapped for this search.
  pairs.shifts[3 * at] = p + wraps[3 * j]! - wraps[3 * i]!;
  pairs.shifts[3 * at + 1] = q + wraps[3 * j + 1]! - wraps[3 * i + 1]!;
  pairs.shifts[3 * at + 2] = r + wraps[3 * j + 2]! - wraps[3 * i + 2]!;
}

function grow(pairs: SystemPairs): void {
  const length = 2 * pairs.count + 16;
  pairs.i = extended(pairs.i, length);
  pairs.j = extended(pairs.j, length);
  pairs.shifts = extended(pairs.shifts, 3 * length);
}

function extended(values: Int32Array, length: number): Int32Array {
  const longer = new Int32Array(length);
  longer.set(values);
  return longer;
}
