/**
 * Where in the memory of a list of pairs what is. `kept` holds float32: where the atoms were when the pairs were found,
 * the cells then, and what finding them needs to know of each system; `marks` holds integers.
 *
 * @module
 */

/** Numbers per system of what finding pairs needs to know of it. */
const BOX = 32;

/** Names for the places, in WGSL. `params.atoms` and `params.systems` say how many there are. */
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

/** How long `kept` and `marks` are, and where the host finds what it saves and loads. */
export function pairSizes(atoms: number, systems: number): PairSizes {
  return {
    kept: 6 * atoms + (9 + BOX) * systems,
    cells: 6 * atoms,
    marks: 9 * atoms + 4 * systems,
    builds: 8 * atoms,
    due: 8 * atoms + systems,
  };
}

/** Lengths and places, in numbers. */
export interface PairSizes {
  /** The length of `kept`; the reference positions are at its beginning. */
  readonly kept: number;
  /** Where the cells are in it. */
  readonly cells: number;
  /** The length of `marks`; the images are at its beginning. */
  readonly marks: number;
  /** Where the counts of builds are in it. */
  readonly builds: number;
  /** Where it says whose pairs are to be found: 1 from where atoms are, 2 from where they were. */
  readonly due: number;
}
