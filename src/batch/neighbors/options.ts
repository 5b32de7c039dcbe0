/**
 * Options of neighbor lists, and their checks.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, POSITIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOneOf, checkOption, checkOptions } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";

/**
 * Layout of a neighbor list: one row per pair (`"coo"`), or one row of neighbors per atom
 * (`"matrix"`).
 */
export type NeighborFormat = "coo" | "matrix";

/** Options of a neighbor list in either format. */
export interface NeighborOptions<F extends NeighborFormat = NeighborFormat> {
  /** Cutoff radius, Å. Only pairs closer than this distance are listed. */
  readonly cutoff: number;
  /**
   * Additional search distance beyond the cutoff, Å. A search is repeated only after an atom has moved by more than
   * half of it. The listed pairs do not depend on it.
   *
   * @default 0.5
   */
  readonly skin?: number;
  /**
   * Layout of the list.
   *
   * @default "coo"
   */
  readonly format?: F;
  /**
   * True to list each pair once, at the atom with the lower index, instead of at both atoms. A pair of an atom and
   * its own image is listed if the first nonzero number of its shift is positive.
   *
   * @default false
   */
  readonly half?: boolean;
}

/** Options of a neighbor matrix. */
export interface NeighborMatrixOptions extends NeighborOptions<"matrix"> {
  /** Layout of the list. */
  readonly format: "matrix";
  /**
   * Smallest width of the matrix, for models whose inputs have a fixed size.
   *
   * @default 16
   */
  readonly maxNeighbors?: number;
  /**
   * Behavior if an atom has more neighbors than the matrix is wide. `"grow"` widens the matrix to a multiple of 16;
   * `"throw"` throws an error that names the atom, and requires `maxNeighbors`.
   *
   * @default "throw" with `maxNeighbors`, "grow" without
   */
  readonly overflow?: "grow" | "throw";
}

/** Options of a neighbor list. */
export type NeighborListOptions<F extends NeighborFormat = NeighborFormat> = F extends "matrix"
  ? NeighborMatrixOptions
  : NeighborOptions<"coo">;

/** Options of a neighbor list after the check, with defaults for all that were not given. */
export interface CheckedNeighborOptions {
  readonly cutoff: number;
  readonly skin: number;
  readonly format: NeighborFormat;
  readonly half: boolean;
  readonly maxNeighbors: number;
  readonly overflow: "grow" | "throw";
}

const NAMES = ["cutoff", "skin", "format", "half", "maxNeighbors", "overflow"];
const ONLY_MATRIX = ["maxNeighbors", "overflow"];
const ACTION = "make a list of neighbors";

/**
 * Checks the options of a neighbor list, and fills in the defaults.
 *
 * @throws {TypeError} if an option is unknown or of a wrong kind
 * @throws {RangeError} if a value is out of range
 */
export function checkNeighborOptions(options: unknown): CheckedNeighborOptions {
  checkOptions(ACTION, options, NAMES);
  const given = options as Partial<NeighborMatrixOptions>;
  const { cutoff, skin = 0.5, format = "coo", half = false, maxNeighbors, overflow } = given;
  for (const name of ONLY_MATRIX) {
    const isFine = () => format === "matrix";
    checkOption(ACTION, given, name, 'left out unless format is "matrix"', isFine);
  }
  checkNumber(ACTION, "cutoff", cutoff, POSITIVE);
  checkNumber(ACTION, "skin", skin, NOT_NEGATIVE);
  checkOneOf(ACTION, "format", format, ["coo", "matrix"]);
  checkOneOf(ACTION, "half", half, [true, false]);
  if (overflow !== undefined) checkOneOf(ACTION, "overflow", overflow, ["grow", "throw"]);
  if (maxNeighbors !== undefined) checkNumber(ACTION, "maxNeighbors", maxNeighbors, wholeFrom(1));
  if (maxNeighbors === undefined && overflow === "throw") {
    throw new TypeError(
      complaint(ACTION, 'maxNeighbors is required with overflow: "throw"', maxNeighbors),
    );
  }
  return {
    cutoff,
    skin,
    format,
    half,
    maxNeighbors: maxNeighbors ?? 16,
    overflow: overflow ?? (maxNeighbors === undefined ? "grow" : "throw"),
  };
}
