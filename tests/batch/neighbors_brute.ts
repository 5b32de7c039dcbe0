/** Lists of neighbors by looking at every image of every atom, and systems to look at. */

import fc from "fast-check";
import type { Batch } from "../../src/batch/mod.ts";
import type { NeighborEdges, NeighborMatrix } from "../../src/batch/neighbors/mod.ts";

/** i, j, then the three numbers of the shift. */
export type Row = [number, number, number, number, number];

/** By first atom, second atom, shift. */
function inOrder(a: Row, b: Row): number {
  for (let k = 0; k < 5; k++) if (a[k] !== b[k]) return a[k]! - b[k]!;
  return 0;
}

/** All pairs of a batch closer than the cutoff. */
export function bruteForce(batch: Batch, cutoff: number): Row[] {
  return Array.from({ length: batch.size }, (_, s) => s).flatMap((s) => {
    const [from, to] = [batch.nodeOffsets[s]!, batch.nodeOffsets[s + 1]!];
    const atoms = Array.from(
      { length: to - from },
      (_, i) => [...batch.get("positions").slice(3 * (from + i), 3 * (from + i) + 3)],
    );
    const cell = [0, 1, 2].map((
      k,
    ) => [...batch.get("cell").slice(9 * s + 3 * k, 9 * s + 3 * k + 3)]);
    const pbc = [...batch.get("pbc").slice(3 * s, 3 * s + 3)];
    const rows: Row[] = [];
    for (const [n, image] of imagesWithin(cell, pbc, cutoff + spread(atoms))) {
      for (const [i, a] of atoms.entries()) {
        for (const [j, b] of atoms.entries()) {
          if (i === j && n.every((x) => x === 0)) continue;
          const square = a.reduce((sum, x, d) => sum + (b[d]! + image[d]! - x) ** 2, 0);
          if (square < cutoff ** 2) rows.push([from + i, from + j, n[0]!, n[1]!, n[2]!]);
        }
      }
    }
    return rows.sort(inOrder);
  });
}

/** No two atoms are further apart. */
function spread(atoms: readonly number[][]): number {
  const sides = [0, 1, 2].map((d) => {
    const x = atoms.map((atom) => atom[d]!);
    return Math.max(...x) - Math.min(...x);
  });
  return Math.hypot(...sides);
}

/** All images of the cell that are not further away than `reach`: their numbers, and what they are moved by. */
function imagesWithin(
  cell: readonly number[][],
  pbc: readonly number[],
  reach: number,
): [n: number[], image: number[]][] {
  const most = cell.map((_, k) => {
    if (pbc[k] === 0) return 0;
    // The k-th number of an image |x| away is at most |x| over the height of its vector above the others.
    const others = cell.filter((_, l) => l !== k && pbc[l] === 1);
    return Math.ceil(reach / height(cell[k]!, others));
  });
  const images: [number[], number[]][] = [];
  for (let p = -most[0]!; p <= most[0]!; p++) {
    for (let q = -most[1]!; q <= most[1]!; q++) {
      for (let r = -most[2]!; r <= most[2]!; r++) {
        const image = [0, 1, 2].map((d) => p * cell[0]![d]! + q * cell[1]![d]! + r * cell[2]![d]!);
        if (Math.hypot(...image) <= reach) images.push([[p, q, r], image]);
      }
    }
  }
  return images;
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((s, x, d) => s + x * b[d]!, 0);

/** Length of a vector after removing its components along others. */
function height(vector: readonly number[], others: readonly number[][]): number {
  const basis: number[][] = [];
  const rest = (of: readonly number[]) =>
    basis.reduce((left, b) => left.map((x, d) => x - dot(of, b) / dot(b, b) * b[d]!), [...of]);
  for (const other of others) basis.push(rest(other));
  return Math.hypot(...rest(vector));
}

/** The rows of a list of edges. */
export function rowsOfEdges({ count, edges, shifts }: NeighborEdges): Row[] {
  return Array.from({ length: count }, (_, e) =>
    [
      edges[e]!,
      edges[count + e]!,
      ...shifts.subarray(3 * e, 3 * e + 3),
    ] as Row);
}

/** The rows of a matrix. Throws where its padding is not what it must be. */
export function rowsOfMatrix(matrix: NeighborMatrix): Row[] {
  const { rows, width, neighbors, counts, shifts } = matrix;
  if (neighbors.length !== rows * width || shifts.length !== 3 * rows * width) {
    throw new Error("The matrix has not the size it says");
  }
  const list: Row[] = [];
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < width; k++) {
      const [j, shift] = [
        neighbors[i * width + k]!,
        shifts.subarray(3 * (i * width + k)).slice(0, 3),
      ];
      if (k < counts[i]!) list.push([i, j, ...shift] as Row);
      else if (j !== rows || shift.some((n) => n !== 0)) throw new Error(`Row ${i} is not padded`);
    }
  }
  return list;
}

/** A list of each pair once. */
export function halfOf(rows: readonly Row[]): Row[] {
  return rows.filter(([i, j, ...n]) => i < j || i === j && (n.find((x) => x !== 0) ?? 0) > 0);
}

/** A number that sums and products of a few others leave exact, so that two programs agree on ties. */
const sixteenth = (min: number, max: number) =>
  fc.integer({ min: 16 * min, max: 16 * max }).map((n) => n / 16);

const cells: fc.Arbitrary<number[]> = fc.record({
  sides: fc.array(sixteenth(2, 6), { minLength: 3, maxLength: 3 }),
  tilts: fc.array(sixteenth(-2, 2), { minLength: 3, maxLength: 3 }),
  isLeft: fc.boolean(),
  order: fc.constantFrom([0, 1, 2], [1, 2, 0], [2, 1, 0]),
}).map(({ sides: [a, b, c], tilts: [u, v, w], isLeft, order }) => {
  const rows = [[a!, 0, 0], [u!, b!, 0], [v!, w!, isLeft ? -c! : c!]];
  return order.flatMap((k) => rows[k]!);
});

/** Parts of a batch. */
export interface PlainSystem {
  readonly numbers: number[];
  readonly positions: number[];
  readonly cell: number[];
  readonly pbc: boolean[];
}

/** Systems of up to `most` atoms, with any cell and periodicity, inside their cells or not. */
export function plainSystems(most: number): fc.Arbitrary<PlainSystem> {
  return fc.record({
    positions: fc.integer({ min: 1, max: most }).chain((atoms) =>
      fc.array(sixteenth(-12, 12), { minLength: 3 * atoms, maxLength: 3 * atoms })
    ),
    cell: cells,
    pbc: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    hasCell: fc.integer({ min: 0, max: 4 }),
  }).map(({ positions, cell, pbc, hasCell }) => ({
    numbers: Array(positions.length / 3).fill(18),
    positions,
    cell: hasCell === 0 ? Array(9).fill(0) : cell,
    pbc: hasCell === 0 ? [false, false, false] : pbc,
  }));
}

/** A cutoff, often longer than a cell. */
export const cutoffs: fc.Arbitrary<number> = sixteenth(1, 7);
