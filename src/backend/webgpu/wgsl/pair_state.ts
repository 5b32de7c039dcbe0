/**
 * Layout of the memory of a list of pairs. `kept` holds float32 numbers: the positions and cells at which the pairs
 * were found, and the box of each system. `marks` holds integers.
 *
 * @module
 */

/** Number of float32 numbers of the box of a system. */
const BOX = 32;

/** Defines WGSL functions that return indices in `kept` and `marks`, from `params.atoms` and `params.systems`. */
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

/** Returns the lengths of `kept` and `marks`, and the indices of the state that the host saves and loads. */
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
  /** Length of `kept`. It begins with the reference positions. */
  readonly kept: number;
  /** Index in `kept` of the cells, nine numbers per system. */
  readonly cells: number;
  /** Length of `marks`. It begins with the image counters, three per atom. */
  readonly marks: number;
  /** Index in `marks` of the search counters, one per system. */
  readonly builds: number;
  /**
   * Index in `marks` of the flags that say whether the pairs of a system are due, one per system: 0 if they are not,
   * 1 to find them from current positions, 2 from reference positions.
   */
  readonly due: number;
}
