/**
 * What a list of neighbors is to be, and the checks of it.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, POSITIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOneOf, checkOption, checkOptions } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";

/** How neighbors are laid out: one row per pair (`"coo"`), or one row of neighbors per atom (`"matrix"`). */
export type NeighborFormat = "coo" | "matrix";

/** What a list of neighbors is to be, in either format. */
export interface NeighborOptions<F extends NeighborFormat = NeighborFormat> {
  /** Pairs closer than this are listed, those at exactly this distance are not. Å. */
  readonly cutoff: number;
  /**
   * Pairs are searched so much further than the cutoff, so that the search need not be done again until an atom has
   * moved by half of it. Lists do not depend on it. Å.
   *
   * @default 0.5
   */
  readonly skin?: number;
  /**
   * How neighbors are laid out.
   *
   * @default "coo"
   */
  readonly format?: F;
  /**
   * Each pair once, at its earlier atom, instead of at both. Of the pairs of an atom with its own images, those
   * whose shift has its first number other than 0 above 0.
   *
   * @default false
   */
  readonly half?: boolean;
}

/** What a matrix of neighbors is to be. */
export interface NeighborMatrixOptions extends NeighborOptions<"matrix"> {
  /** How neighbors are laid out. */
  readonly format: "matrix";
  /**
   * The least width of the matrix: a model of fixed size wants this one exactly.
   *
   * @default 16
   */
  readonly maxNeighbors?: number;
  /**
   * What happens when an atom has more neighbors than the matrix is wide: it grows to the next multiple of 16, or
   * an error says which atom it was.
   *
   * @default "throw" with `maxNeighbors`, "grow" without
   */
  readonly overflow?: "grow" | "throw";
}

/** What a list of neighbors is to be. */
export type NeighborListOptions<F extends NeighborFormat = NeighborFormat> = F extends "matrix"
  ? NeighborMatrixOptions
  : NeighborOptions<"coo">;

/** All options, checked. */
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

/** Throws a TypeError or RangeError that names the option that is wrong. */
export function checkNeighborOptions(options: unknown): CheckedNeighborOptions {
  checkOptions(ACTION, options, NAMES);
  const given = options as Partial<NeighborMatrixOptions>;
  const { cutoff, skin = 0.5, format = "coo", half = false, maxNeighbors, overflow } = given;
  for (const name of ONLY_MATRIX) {
    const isFine = () => format === "matrix";
    checkOption(ACTION, given, name, "left out, as only a matrix may have it", isFine);
  }
  checkNumber(ACTION, "cutoff", cutoff, POSITIVE);
  checkNumber(ACTION, "skin", skin, NOT_NEGATIVE);
  checkOneOf(ACTION, "format", format, ["coo", "matrix"]);
  checkOneOf(ACTION, "half", half, [true, false]);
  if (overflow !== undefined) checkOneOf(ACTION, "overflow", overflow, ["grow", "throw"]);
  if (maxNeighbors !== undefined) checkNumber(ACTION, "maxNeighbors", maxNeighbors, wholeFrom(1));
  if (maxNeighbors === undefined && overflow === "throw") {
    throw new TypeError(
      complaint(ACTION, 'overflow: "throw" must come with maxNeighbors', maxNeighbors),
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
