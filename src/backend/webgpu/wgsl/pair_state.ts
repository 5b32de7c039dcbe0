/**
 * Layout of the memory of a list of pairs. `kept` holds float32 numbers: the positions and cells at which the pairs
 * were found, and the box of each system. `marks` holds integers.
 *
 * @module
 */

/** Number of words of the box of a system. */
const BOX = 32;

/** Defines WGSL functions for the indices in this memory, from `params.atoms` and `params.systems`. */
export const PLACES: string = /* wgsl */ `
fn reference_at(a: u32) -> u32 { return 3u * a; }
fn wrapped_at(a: u32) -> u32 { return 3u * (params.atoms + a); }
fn cell_at(s: u32) -> u32 { return 6u * params.atoms + 9u * s; }
fn box_at(s: u32) -> u32 { return 6u * params.atoms + 9u * params.systems + ${BOX}u * s; }
fn images_at(a: u32) -> u32 { return 3u * a; }
fn wraps_at(a: u32) -> u32 { return 3u * (params.atoms + a); }
fn bin_at(a: u32) -> u32 { return 6u * params.atoms + a; }
fn order_at(a: u32) -> u32 { return 7u * params.atoms + a; }
fn builds_at(s: u32) -> u32 { return 8u * params.atoms + s; }
fn due_at(s: u32) -> u32 { return 8u * params.atoms + params.systems + s; }
fn bins_at(s: u32) -> u32 { return 8u * params.atoms + 3u * params.systems + first_of(s); }
`;

/**
 * Returns the lengths of `kept` and `marks`, and the indices of the state that the host saves and
 * loads.
 */
export function pairSizes(atoms: number, systems: number): PairSizes {
  return {
    kept: 6 * atoms + (9 + BOX) * systems,
    cells: 6 * atoms,
    marks: 9 * atoms + 4 * systems,
    builds: 8 * atoms,
    due: 8 * atoms + systems,
  };
}

/** Lengths and indices of the memory of a list of pairs, in numbers. */
export interface PairSizes {
  /** Length of `kept`. The reference positions are at its beginning. */
  readonly kept: number;
  /** Index of the cells in `kept`. */
  readonly cells: number;
  /** Length of `marks`. The images are at its beginning. */
  readonly marks: number;
  /** Index of the numbers of searches in `marks`. */
  readonly builds: number;
  /**
   * Index of the marks of due systems: 1 to find pairs from current positions, 2 from reference
   * positions.
   */
  readonly due: number;
}
