/**
 * Structures that are moved, turned, strained and copied to see what a model makes of it.
 *
 * @module
 */

import { System } from "../batch/system.ts";

/** A structure as plain numbers. */
export interface Structure {
  /** Atomic numbers. */
  readonly numbers: readonly number[];
  /** Å, three per atom. */
  readonly positions: readonly number[];
  /** Å, nine numbers. */
  readonly cell: readonly number[];
  /** Which of the three directions repeat. */
  readonly pbc: readonly number[];
  /** Whole lattice vectors that were taken off each atom. */
  readonly images?: readonly number[];
}

/** A structure, with its numbers as a model computes with them. */
export function structureOf(system: System, round: (x: number) => number): Structure {
  const { numbers, positions, cell, pbc } = system;
  return {
    numbers: Array.from(numbers),
    positions: Array.from(positions, round),
    cell: Array.from(cell, round),
    pbc: Array.from(pbc),
  };
}

/** The same as a system of a batch. */
export function systemFrom({ numbers, positions, cell, pbc, images }: Structure): System {
  const hasCell = cell.some((x) => x !== 0);
  return new System({
    numbers,
    positions,
    ...(hasCell ? { cell, pbc } : {}),
    ...(images === undefined ? {} : { images }),
  });
}

/** Whether it repeats along any direction. */
export function isPeriodic({ pbc }: Structure): boolean {
  return pbc.some((flag) => flag !== 0);
}

/** With one coordinate of one atom further on. */
export function nudged(structure: Structure, at: number, by: number): Structure {
  return { ...structure, positions: structure.positions.map((x, i) => i === at ? x + by : x) };
}

/** Elsewhere. */
export function shifted(structure: Structure, by: readonly number[]): Structure {
  return { ...structure, positions: structure.positions.map((x, i) => x + by[i % 3]!) };
}

/** Positions and cell times a matrix: turned, or strained. */
export function transformed(structure: Structure, matrix: readonly number[]): Structure {
  const { positions, cell } = structure;
  return { ...structure, positions: times(positions, matrix), cell: times(cell, matrix) };
}

/** x ↦ x M, row by row. */
export function times(rows: readonly number[], matrix: readonly number[]): number[] {
  return rows.map((_, at) => {
    const [row, column] = [at - at % 3, at % 3];
    return rows[row]! * matrix[column]! + rows[row + 1]! * matrix[3 + column]! +
      rows[row + 2]! * matrix[6 + column]!;
  });
}

/** The atoms in another order: atom i is the one that was `order[i]`. */
export function reordered(structure: Structure, order: readonly number[]): Structure {
  return {
    ...structure,
    numbers: order.map((atom) => structure.numbers[atom]!),
    positions: rowsOf(structure.positions, order),
  };
}

/** Rows of three numbers in another order. */
export function rowsOf(values: readonly number[], order: readonly number[]): number[] {
  return order.flatMap((atom) => values.slice(3 * atom, 3 * atom + 3));
}

/** Twice: next to itself where it repeats, in a cell of twice the length; else with so much room between, Å. */
export function doubled(structure: Structure, far: number): Structure {
  const { numbers, positions, cell, pbc } = structure;
  const row = pbc.findIndex((flag) => flag !== 0);
  const xs = positions.filter((_, i) => i % 3 === 0);
  const away = Math.ceil(Math.max(...xs) - Math.min(...xs) + far);
  const along = row === -1 ? [away, 0, 0] : cell.slice(3 * row, 3 * row + 3);
  return {
    numbers: [...numbers, ...numbers],
    positions: [...positions, ...shifted(structure, along).positions],
    cell: row === -1 ? cell : cell.map((x, i) => Math.floor(i / 3) === row ? 2 * x : x),
    pbc,
  };
}

/** Each atom moved by lattice vectors of its own; `counts`: whether it is said by how many. */
export function imaged(structure: Structure, counts: boolean): Structure {
  const { positions, cell, pbc } = structure;
  const images = positions.map((_, i) => pbc[i % 3] !== 0 ? (i + Math.floor(i / 3)) % 3 - 1 : 0);
  const moved = positions.map((x, i) => {
    const [atom, axis] = [i - i % 3, i % 3];
    return [0, 1, 2].reduce((at, row) => at - images[atom + row]! * cell[3 * row + axis]!, x);
  });
  return { ...structure, positions: moved, ...(counts ? { images } : {}) };
}
