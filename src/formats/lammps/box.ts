/**
 * Boxes of LAMMPS: a corner and lattice vectors, with a along x and b in the xy plane.
 *
 * @module
 */

import { orientationOf } from "../orientation.ts";
import type { System } from "../../batch/system.ts";

/** A box: its corner and its lattice vectors, Å. */
export interface Box {
  readonly corner: readonly number[];
  readonly cell: Float64Array;
}

/** Returns the box with bounds along x, y and z, and with tilts xy, xz and yz. */
export function boxOf(bounds: readonly (readonly number[])[], tilts: readonly number[]): Box {
  const [[xlo, xhi], [ylo, yhi], [zlo, zhi]] = bounds as [number[], number[], number[]];
  const [xy = 0, xz = 0, yz = 0] = tilts;
  return {
    corner: [xlo!, ylo!, zlo!],
    cell: Float64Array.of(xhi! - xlo!, 0, 0, xy, yhi! - ylo!, 0, xz, yz, zhi! - zlo!),
  };
}

/** Positions and vectors of a system in the orientation that LAMMPS requires. */
export interface Oriented {
  readonly cell: ArrayLike<number>;
  readonly corner: readonly number[];
  readonly positions: ArrayLike<number>;
  /** Turns vectors such as velocities in the same way. */
  readonly turn: (vectors: ArrayLike<number>) => ArrayLike<number>;
}

/**
 * Turns a system such that a is along x and b in the xy plane. A system without a cell gets a box around its atoms.
 *
 * @throws {TypeError} if the system has one or two lattice vectors
 */
export function orient(system: System): Oriented {
  const { cell, positions } = system;
  if (cell.every((x) => x === 0)) return around(positions);
  if (
    cell[1] === 0 && cell[2] === 0 && cell[5] === 0 && cell[0]! > 0 && cell[4]! > 0 && cell[8]! > 0
  ) {
    return { cell, corner: [0, 0, 0], positions, turn: (vectors) => vectors };
  }
  const orientation = orientationOf(cell);
  if (orientation === undefined) {
    throw new TypeError("Cannot write LAMMPS: the cell must have three lattice vectors, or none");
  }
  const { turn } = orientation;
  return { cell: orientation.cell, corner: [0, 0, 0], positions: turn(positions), turn };
}

/** Returns a box with 1 Å of room around the atoms. */
function around(positions: ArrayLike<number>): Oriented {
  const corner = [Infinity, Infinity, Infinity], top = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    corner[i % 3] = Math.min(corner[i % 3]!, positions[i]! - 1);
    top[i % 3] = Math.max(top[i % 3]!, positions[i]! + 1);
  }
  const [x, y, z] = top.map((high, k) => high - corner[k]!);
  return { cell: [x!, 0, 0, 0, y!, 0, 0, 0, z!], corner, positions, turn: (vectors) => vectors };
}
