/**
 * Candidates: the pairs of one system within cutoff plus skin. They stay valid until an atom has moved by half the
 * skin.
 *
 * @module
 */

import type { SystemPairs } from "../../kernels/pairs/pair_list.ts";
import { findPairs, isDeepEnough } from "../../kernels/pairs/find_pairs.ts";
import { latticeOf } from "../../kernels/pairs/lattice.ts";
import { checkCell } from "../cell.ts";
import { sortCandidates } from "./sort.ts";
import { Room } from "./room.ts";
import { systemName } from "../store.ts";
import type { NeighborSource } from "./source.ts";
import { show } from "../../base/show.ts";
import { showRow } from "../fields/field_values.ts";

/**
 * Largest distance of a position from the origin, in heights of the flattest periodic direction. Positions farther
 * away are an error.
 */
const MOST_CELLS = 2 ** 20;

/**
 * Bound of the rounding error of a distance, relative to the largest number in its computation. The search radius is
 * enlarged by this error. Then the search finds every pair that the exact comparison in `keepNear` may accept, and
 * that comparison alone decides which pairs are listed.
 */
const ROUNDING = 2 ** -40;

/** Options of a search for pairs. */
export interface Search {
  /** Cutoff, Å. */
  readonly cutoff: number;
  /** Skin, Å. */
  readonly skin: number;
  /** True to list each pair once instead of at both atoms. */
  readonly half: boolean;
  /** Buffer for the pairs in the order in which they are found. It is reused by all systems. */
  readonly found: SystemPairs;
}

/** Pairs of one system within cutoff plus skin, sorted by first atom, second atom and shift. */
export class Candidates {
  /** Number of atoms; −1 before the first search and after a failed one. */
  atoms = -1;
  /** Number of completed searches. */
  builds = 0;
  /** Index of the first pair of each atom, followed by the number of pairs. */
  readonly starts: Room = new Room();
  /** Second atom of each pair, as an index within the system. */
  readonly others: Room = new Room();
  /** Lattice translation of the second atom of each pair at the time of the search, three integers per pair. */
  readonly shifts: Room = new Room();
  /**
   * Lattice translation that wrapping has removed from each atom since the search, three integers per atom. It
   * corrects the shifts of the atom's pairs.
   */
  readonly wraps: Room = new Room();
  /** Positions at the time of the search, Å. */
  reference: Float64Array = new Float64Array();
  /** Image counters at the time of the search. */
  images: Int32Array = new Int32Array();
  /** Cell at the time of the search, Å; zero along directions that are not periodic. */
  cell: Float64Array = new Float64Array(9);
  /** Periodicity at the time of the search. */
  readonly pbc: Uint8Array = new Uint8Array(3);

  /** Number of pairs. */
  get count(): number {
    return this.atoms < 0 ? 0 : this.starts.take(this.atoms + 1)[this.atoms]!;
  }
}

/**
 * Returns whether the pairs must be searched again: the number of atoms, the periodicity or the cell has changed, or
 * an atom has moved by more than half the skin. Wrapping does not count as a movement if `images` records it.
 */
export function isDue(
  known: Candidates,
  source: NeighborSource,
  system: number,
  skin: number,
): boolean {
  const { nodeOffsets, cell, pbc } = source;
  if (known.atoms !== nodeOffsets[system + 1]! - nodeOffsets[system]!) return true;
  for (let k = 0; k < 3; k++) {
    const flag = pbc[3 * system + k] === 0 ? 0 : 1;
    if (known.pbc[k] !== flag) return true;
    for (let d = 3 * k; flag === 1 && d < 3 * k + 3; d++) {
      if (known.cell[d] !== cell[9 * system + d]) return true;
    }
  }
  return hasMoved(known, source, 3 * nodeOffsets[system]!, skin / 2);
}

// hot
function hasMoved(
  known: Candidates,
  { positions, images }: NeighborSource,
  first: number,
  limit: number,
): boolean {
  const { reference, cell, pbc, images: before } = known;
  const size = reference.length;
  const wraps = known.wraps.take(size);
  for (let a = 0; a < size; a += 3) {
    for (let k = 0; k < 3; k++) {
      const image = images === undefined || pbc[k] === 0 ? 0 : images[first + a + k]!;
      wraps[a + k] = image - before[a + k]!;
    }
    const m = wraps[a]!, n = wraps[a + 1]!, o = wraps[a + 2]!;
    let square = 0;
    for (let d = 0; d < 3; d++) {
      const back = m * cell[d]! + n * cell[3 + d]! + o * cell[6 + d]!;
      const delta = positions[first + a + d]! + back - reference[a + d]!;
      square += delta * delta;
    }
    if (!(square <= limit * limit)) return true;
  }
  return false;
}

/**
 * Searches the pairs of a system and writes them to `known`.
 *
 * @throws {RangeError} if the cell has no volume or is too flat, or a position is not finite or too far away; the
 * previous pairs are kept then
 */
export function searchPairs(
  known: Candidates,
  source: NeighborSource,
  system: number,
  { cutoff, skin, half, found }: Search,
): void {
  const { nodeOffsets, positions, images } = source;
  const [from, to] = [3 * nodeOffsets[system]!, 3 * nodeOffsets[system + 1]!];
  const pbc = Uint8Array.from({ length: 3 }, (_, k) => source.pbc[3 * system + k] === 0 ? 0 : 1);
  const cell = Float64Array.from(
    { length: 9 },
    (_, i) => pbc[Math.floor(i / 3)] === 0 ? 0 : source.cell[9 * system + i]!,
  );
  const name = systemName(source.infos ?? [], system);
  checkCell(cell, pbc, "list neighbors", ` of system ${name}`);
  const largest = checkPositions(positions, from, to, cell, pbc, name);
  const reach = (cutoff + skin) * (1 + ROUNDING) + largest * ROUNDING;
  checkDepth(cell, pbc, reach, name);
  known.atoms = -1; // incomplete until the end: if an allocation fails, the next update searches again
  if (known.reference.length !== to - from) known.reference = new Float64Array(to - from);
  if (known.images.length !== to - from) known.images = new Int32Array(to - from);
  known.reference.set(positions.subarray(from, to));
  for (let i = from; i < to; i++) {
    known.images[i - from] = images === undefined || pbc[i % 3] === 0 ? 0 : images[i]!;
  }
  known.cell.set(cell);
  known.pbc.set(pbc);
  known.wraps.take(to - from).fill(0);
  found.reference = known.reference;
  found.cell = known.cell;
  findPairs(found, pbc, reach);
  const atoms = (to - from) / 3;
  sortCandidates(known, atoms, found, half);
  known.atoms = atoms;
  known.builds++;
}

/**
 * Returns the largest absolute value among the numbers of positions and cell, Å.
 *
 * @throws {RangeError} if a position is not finite, or farther from the origin than `MOST_CELLS` cells
 */
function checkPositions(
  positions: NeighborSource["positions"],
  from: number,
  to: number,
  cell: Float64Array,
  pbc: Uint8Array,
  system: string,
): number {
  const { heights, periodic } = latticeOf(cell, pbc);
  const most = MOST_CELLS *
    Math.min(...periodic.map((isPeriodic, k) => isPeriodic ? heights[k]! : Infinity));
  let largest = cell.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  for (let i = from; i < to; i++) {
    const x = Math.abs(positions[i]!);
    largest = Math.max(largest, x);
    if (x < Infinity && x <= most) continue;
    const atom = Math.floor((i - from) / 3);
    throw new RangeError(
      `Cannot list neighbors: positions of atom ${atom} of system ${system} must be finite and within ` +
        `${MOST_CELLS} cells of the origin; got ${showRow(positions, from / 3 + atom, 3)}`,
    );
  }
  return largest;
}

function checkDepth(cell: Float64Array, pbc: Uint8Array, reach: number, system: string): void {
  if (isDeepEnough(cell, pbc, reach)) return;
  throw new RangeError(
    `Cannot list neighbors: opposite faces of the cell of system ${system} must be at least ${
      Number((reach / 64).toPrecision(3))
    } Å apart, ` +
      `1/64 of cutoff plus skin; got the cell ${show([...cell])}`,
  );
}
