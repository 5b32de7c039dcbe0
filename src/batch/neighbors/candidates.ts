/**
 * The pairs of one system that may be close enough, kept until it has changed too much.
 *
 * @module
 */

import type { SystemPairs } from "../../kernels/pairs/pair_list.ts";
import { findPairs, isDeepEnough } from "../../kernels/pairs/find_pairs.ts";
import { latticeOf } from "../../kernels/pairs/lattice.ts";
import { checkCell } from "../cell.ts";
import { sortCandidates } from "./sort.ts";
import { Room } from "./room.ts";
import type { NeighborSource } from "./source.ts";
import { show } from "../../base/show.ts";
import { showRow } from "../fields/field_values.ts";

/** Positions so many cells away from the origin, along a periodic direction, are no numbers any more. */
const MOST_CELLS = 2 ** 20;

/**
 * How far rounding may put a pair from where it is, relative to the largest number it is computed from: a search
 * reaches so much further, so that it is always the distance itself, computed in one way, that decides.
 */
const ROUNDING = 2 ** -40;

/** What to search. */
export interface Search {
  /** Å. */
  readonly cutoff: number;
  /** Å. */
  readonly skin: number;
  /** Each pair once. */
  readonly half: boolean;
  /** Where pairs are put as they are found, before they are sorted. */
  readonly found: SystemPairs;
}

/** The pairs of one system up to cutoff and skin, by first atom, then second atom, then shift. */
export class Candidates {
  /** How many atoms there are; −1 before the first search. */
  atoms = -1;
  /** How often pairs were searched. */
  builds = 0;
  /** Where the pairs of each first atom begin, and their number: one more than there are atoms. */
  readonly starts: Room = new Room();
  /** The second atoms. */
  readonly others: Room = new Room();
  /** The whole lattice vectors to add to the second atoms, as atoms were when the pairs were searched. */
  readonly shifts: Room = new Room();
  /** The whole lattice vectors that wrapping has taken off each atom since then: shifts grow by them. */
  readonly wraps: Room = new Room();
  /** Where atoms were when pairs were searched, Å. */
  reference: Float64Array = new Float64Array();
  /** Their image counters at that time. */
  images: Int32Array = new Int32Array();
  /** The cell at that time, Å; zero along directions that are not periodic. */
  cell: Float64Array = new Float64Array(9);
  /** The periodicity at that time. */
  readonly pbc: Uint8Array = new Uint8Array(3);

  /** The number of pairs. */
  get count(): number {
    return this.atoms < 0 ? 0 : this.starts.take(this.atoms + 1)[this.atoms]!;
  }
}

/**
 * Whether pairs must be searched again, as there are other atoms than before, or the cell has changed, or an atom
 * moved by more than half the skin. Moving by whole lattice vectors that `images` count is no move.
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
 * Searches the pairs of a system.
 *
 * @throws {RangeError} for a cell that spans no volume or is too flat, and for a position that is no number; what
 * was known is as it was then
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
  checkCell(cell, pbc, "list neighbors", ` of system ${system}`);
  const largest = checkPositions(positions, from, to, cell, pbc, system);
  const reach = (cutoff + skin) * (1 + ROUNDING) + largest * ROUNDING;
  checkDepth(cell, pbc, reach, system);
  known.atoms = -1; // a search that ends half-way, for want of memory, will be done again
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

/** The largest number of positions and cell, Å. Throws a RangeError for an atom that is nowhere. */
function checkPositions(
  positions: NeighborSource["positions"],
  from: number,
  to: number,
  cell: Float64Array,
  pbc: Uint8Array,
  system: number,
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
      `Cannot list neighbors as positions of atom ${atom} of system ${system} must be finite and within ` +
        `${MOST_CELLS} cells of the origin: current value is ${
          showRow(positions, from / 3 + atom, 3)
        }`,
    );
  }
  return largest;
}

function checkDepth(cell: Float64Array, pbc: Uint8Array, reach: number, system: number): void {
  if (isDeepEnough(cell, pbc, reach)) return;
  throw new RangeError(
    `Cannot list neighbors as the faces of the cell of system ${system} must not be closer to each other than ` +
      `1/64 of cutoff and skin, ${reach}: current cell is ${show([...cell])}`,
  );
}
