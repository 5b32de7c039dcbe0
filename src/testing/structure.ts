/**
 * Structures that are moved, rotated, strained and repeated to test symmetries of models.
 *
 * @module
 */

import { System } from "../batch/system.ts";

/** A structure of plain numbers. */
export interface Structure {
  /** Atomic numbers. */
  readonly numbers: readonly number[];
  /** Positions, Å, three numbers per atom. */
  readonly positions: readonly number[];
  /** Cell vectors, Å, nine numbers. */
  readonly cell: readonly number[];
  /** 1 for each periodic direction, 0 for the others. */
  readonly pbc: readonly number[];
  /** Numbers of lattice vectors by which each atom was wrapped, three per atom. */
  readonly images?: readonly number[];
}

/** Converts a system to a structure. `round` rounds positions and cell to the precision in which the model computes. */
export function structureOf(system: System, round: (x: number) => number): Structure {
  const { numbers, positions, cell, pbc } = system;
  return {
    numbers: Array.from(numbers),
    positions: Array.from(positions, round),
    cell: Array.from(cell, round),
    pbc: Array.from(pbc),
  };
}

/** Converts a structure to a system of a batch. */
export function systemFrom({ numbers, positions, cell, pbc, images }: Structure): System {
  const hasCell = cell.some((x) => x !== 0);
  return new System({
    numbers,
    positions,
    ...(hasCell ? { cell, pbc } : {}),
    ...(images === undefined ? {} : { images }),
  });
}

/** Returns whether a structure is periodic in any direction. */
export function isPeriodic({ pbc }: Structure): boolean {
  return pbc.some((flag) => flag !== 0);
}

/** Returns the structure with the element `at` of `positions` increased by `by` Å. */
export function nudged(structure: Structure, at: number, by: number): Structure {
  return { ...structure, positions: structure.positions.map((x, i) => i === at ? x + by : x) };
}

/** Returns the structure with all atoms translated by the vector `by`, Å. */
export function shifted(structure: Structure, by: readonly number[]): Structure {
  return { ...structure, positions: structure.positions.map((x, i) => x + by[i % 3]!) };
}

/** Returns the structure with positions and cell multiplied by a matrix: a rotation or a strain. */
export function transformed(structure: Structure, matrix: readonly number[]): Structure {
  const { positions, cell } = structure;
  return { ...structure, positions: times(positions, matrix), cell: times(cell, matrix) };
}

/** Multiplies rows of three numbers by a matrix: x ↦ x M. */
export function times(rows: readonly number[], matrix: readonly number[]): number[] {
  return rows.map((_, at) => {
    const [row, column] = [at - at % 3, at % 3];
    return rows[row]! * matrix[column]! + rows[row + 1]! * matrix[3 + column]! +
      rows[row + 2]! * matrix[6 + column]!;
  });
}

/** Returns the structure with permuted atoms: atom i of the result is atom `order[i]` of the structure. */
export function reordered(structure: Structure, order: readonly number[]): Structure {
  return {
    ...structure,
    numbers: order.map((atom) => structure.numbers[atom]!),
    positions: rowsOf(structure.positions, order),
  };
}

/** Returns permuted rows of three numbers: row i of the result is row `order[i]` of `values`. */
export function rowsOf(values: readonly number[], order: readonly number[]): number[] {
  return order.flatMap((atom) => values.slice(3 * atom, 3 * atom + 3));
}

/**
 * Returns a structure of two copies. A periodic structure gets a cell of twice the length; otherwise the copies are
 * at least `far` Å apart.
 */
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

/**
 * Returns the structure with its atoms moved by different lattice vectors. If `counts` is true, `images` records
 * these vectors.
 */
export function imaged(structure: Structure, counts: boolean): Structure {
  const { positions, cell, pbc } = structure;
  const images = positions.map((_, i) => pbc[i % 3] !== 0 ? (i + Math.floor(i / 3)) % 3 - 1 : 0);
  const moved = positions.map((x, i) => {
    const [atom, axis] = [i - i % 3, i % 3];
    return [0, 1, 2].reduce((at, row) => at - images[atom + row]! * cell[3 * row + axis]!, x);
  });
  return { ...structure, positions: moved, ...(counts ? { images } : {}) };
}
