/**
 * Bonds between atoms, by their covalent radii.
 *
 * @module
 */

import { invertCell } from "../../batch/cell.ts";
import type { ViewerFrame } from "../protocol.ts";
import { radiusOf } from "./elements.ts";

/** Atoms are bonded if they are closer than the sum of their radii and this length, Å. */
const TOLERANCE = 0.4;

/** Atoms that are closer than this are drawn without a bond, Å: it would be inside them. */
const CLOSEST = 0.3;

/** Largest number of boxes of the search. With more, boxes grow. */
const MOST_BOXES = 1 << 20;

/** Largest number of atoms with copies that is searched. Above it there are no bonds. */
const MOST_POINTS = 4_000_000;

/** Bonds as seen from each of their atoms: a bond of two atoms is there twice. */
export interface Bonds {
  /** Index of the atom from which each is seen. */
  readonly atoms: Int32Array;
  /** Vector to the other atom, or to its nearest image, Å: 3 numbers each. */
  readonly vectors: Float32Array;
}

/** Directions in which a structure repeats, and its cell. */
export interface Lattice {
  /** Rows of the cell, Å. */
  readonly cell: ArrayLike<number>;
  /** Inverse of the cell. */
  readonly inverse: Float64Array;
  /** Periodic directions. */
  readonly pbc: readonly [boolean, boolean, boolean];
}

/** Returns the lattice of a structure; undefined without a cell, or with one that does not span a volume. */
export function latticeOf({ cell, pbc }: ViewerFrame): Lattice | undefined {
  if (cell === undefined || !cell.every(Number.isFinite) || !cell.some((x) => x !== 0)) {
    return undefined;
  }
  try {
    return { cell, inverse: invertCell(cell), pbc: pbc ?? [true, true, true] };
  } catch {
    return undefined; // coplanar vectors, as in a damaged file: the atoms are still worth seeing
  }
}

/** Returns the positions, moved into the cell along its periodic directions. */
export function wrappedPositions(
  positions: Float32Array,
  { cell, inverse, pbc }: Lattice,
): Float32Array<ArrayBuffer> {
  const wrapped = Float32Array.from(positions);
  for (let at = 0; at < wrapped.length; at += 3) {
    for (let k = 0; k < 3; k++) {
      if (!pbc[k]) continue;
      const fraction = positions[at]! * inverse[k]! + positions[at + 1]! * inverse[3 + k]! +
        positions[at + 2]! * inverse[6 + k]!;
      // Atoms that vibrate about a face stay together on one side of it.
      const turns = Math.floor(fraction + 0.05);
      if (turns === 0 || !Number.isFinite(turns)) continue;
      for (let i = 0; i < 3; i++) wrapped[at + i]! -= turns * cell[3 * k + i]!;
    }
  }
  return wrapped;
}

/** Atoms and copies of atoms beyond the faces of the cell. */
interface Points {
  readonly positions: Float64Array;
  /** Index of the atom of each. The first ones are the atoms themselves. */
  readonly atoms: Int32Array;
}

/** Finds the bonds of a structure, across the faces of its cell too. Positions must be in the cell if there is one. */
export function findBonds(
  numbers: Uint8Array,
  positions: Float32Array,
  lattice: Lattice | undefined,
): Bonds {
  const radii = Float64Array.from(numbers, radiusOf);
  const reach = 2 * radii.reduce((most, radius) => Math.max(most, radius), 0) + TOLERANCE;
  const points = pointsOf(positions, lattice, reach);
  const atoms: number[] = [], vectors: number[] = [];
  if (points === undefined) return { atoms: new Int32Array(0), vectors: new Float32Array(0) };
  const near = boxesOf(points.positions, reach);
  // One function for all atoms: a closure for each would cost more than the search.
  const add: Neighbor = (i, j, dx, dy, dz) => {
    const square = dx * dx + dy * dy + dz * dz;
    const most = radii[i]! + radii[points.atoms[j]!]! + TOLERANCE;
    if (square > most * most || square < CLOSEST * CLOSEST) return;
    atoms.push(i);
    vectors.push(dx, dy, dz);
  };
  for (let i = 0; i < numbers.length; i++) near(i, add);
  return { atoms: Int32Array.from(atoms), vectors: Float32Array.from(vectors) };
}

/** Returns the atoms, and the copies of atoms that are within reach of an atom; undefined if there are too many. */
function pointsOf(
  positions: Float32Array,
  lattice: Lattice | undefined,
  reach: number,
): Points | undefined {
  const count = positions.length / 3;
  const all: number[] = Array.from(positions), atoms: number[] = [];
  for (let i = 0; i < count; i++) atoms.push(i);
  if (lattice === undefined) {
    return { positions: Float64Array.from(all), atoms: Int32Array.from(atoms) };
  }
  const { cell, inverse, pbc } = lattice;
  const least = [Infinity, Infinity, Infinity], most = [-Infinity, -Infinity, -Infinity];
  const fractions = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      const f = all[3 * i]! * inverse[k]! + all[3 * i + 1]! * inverse[3 + k]! +
        all[3 * i + 2]! * inverse[6 + k]!;
      fractions[3 * i + k] = f;
      if (!Number.isFinite(f)) continue;
      least[k] = Math.min(least[k]!, f);
      most[k] = Math.max(most[k]!, f);
    }
  }
  // In fractional coordinates, planes at this distance are `reach` apart.
  const margin = [0, 1, 2].map((k) =>
    reach * Math.hypot(inverse[k]!, inverse[3 + k]!, inverse[6 + k]!)
  );
  const from = [0, 0, 0], to = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      if (!pbc[k]) continue;
      from[k] = Math.ceil(least[k]! - margin[k]! - fractions[3 * i + k]!);
      to[k] = Math.floor(most[k]! + margin[k]! - fractions[3 * i + k]!);
    }
    for (let x = from[0]!; x <= to[0]!; x++) {
      for (let y = from[1]!; y <= to[1]!; y++) {
        for (let z = from[2]!; z <= to[2]!; z++) {
          if (x === 0 && y === 0 && z === 0) continue;
          atoms.push(i);
          for (let k = 0; k < 3; k++) {
            all.push(positions[3 * i + k]! + x * cell[k]! + y * cell[3 + k]! + z * cell[6 + k]!);
          }
        }
      }
      if (atoms.length > MOST_POINTS) return undefined;
    }
  }
  return { positions: Float64Array.from(all), atoms: Int32Array.from(atoms) };
}

type Neighbor = (point: number, other: number, dx: number, dy: number, dz: number) => void;

/** Sorts points into boxes with edges of at least `reach`, and returns a search for the neighbors of a point. */
function boxesOf(
  positions: Float64Array,
  reach: number,
): (point: number, found: Neighbor) => void {
  const count = positions.length / 3;
  const low = [0, 0, 0], size = [1, 1, 1];
  for (let k = 0; k < 3; k++) {
    let least = Infinity, most = -Infinity;
    for (let at = k; at < positions.length; at += 3) {
      const x = positions[at]!;
      if (!Number.isFinite(x)) continue;
      least = Math.min(least, x);
      most = Math.max(most, x);
    }
    if (least > most) continue;
    low[k] = least;
    size[k] = most - least;
  }
  let edge = reach;
  const boxes = () => size.map((length) => Math.floor(length / edge) + 1);
  while (boxes().reduce((a, b) => a * b, 1) > MOST_BOXES) edge *= 2;
  const [nx, ny, nz] = boxes() as [number, number, number];
  const along = (point: number, k: number) =>
    Math.floor((positions[3 * point + k]! - low[k]!) / edge);
  const box = new Int32Array(count).fill(-1), first = new Int32Array(nx * ny * nz + 1);
  for (let i = 0; i < count; i++) {
    const at = along(i, 0) + nx * (along(i, 1) + ny * along(i, 2));
    if (!Number.isFinite(at)) continue; // a diverged atom has no neighbors
    box[i] = at;
    first[at + 1]!++;
  }
  for (let at = 0; at < nx * ny * nz; at++) first[at + 1]! += first[at]!;
  const next = first.slice(), sorted = new Int32Array(count);
  for (let i = 0; i < count; i++) if (box[i] !== -1) sorted[next[box[i]!]!++] = i;
  return (point, found) => {
    if (box[point] === -1) return;
    const [x, y, z] = [positions[3 * point]!, positions[3 * point + 1]!, positions[3 * point + 2]!];
    const [a, b, c] = [along(point, 0), along(point, 1), along(point, 2)];
    for (let w = Math.max(0, c - 1); w <= Math.min(nz - 1, c + 1); w++) {
      for (let v = Math.max(0, b - 1); v <= Math.min(ny - 1, b + 1); v++) {
        // Boxes of a row are next to each other.
        const row = nx * (v + ny * w);
        const end = first[row + Math.min(nx - 1, a + 1) + 1]!;
        for (let at = first[row + Math.max(0, a - 1)]!; at < end; at++) {
          const other = sorted[at]!;
          if (other === point) continue;
          found(
            point,
            other,
            positions[3 * other]! - x,
            positions[3 * other + 1]! - y,
            positions[3 * other + 2]! - z,
          );
        }
      }
    }
  };
}
