/**
 * What a list of neighbors is to be, and the checks of it.
 *
 * @module
 */

import { show } from "../show.ts";

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

/** Throws a TypeError or RangeError that names the option that is wrong. */
export function checkNeighborOptions(options: unknown): CheckedNeighborOptions {
  if (typeof options !== "object" || options === null) {
    throw refused(TypeError, "its options must be an object with a cutoff", options);
  }
  const { cutoff, skin = 0.5, format = "coo", half = false, maxNeighbors, overflow } =
    options as Partial<NeighborMatrixOptions>;
  for (const [name, value] of Object.entries(options)) {
    if (!NAMES.includes(name)) {
      throw refused(TypeError, `its options must be among ${NAMES.join(", ")}`, name);
    }
    if (value !== undefined && format !== "matrix" && ONLY_MATRIX.includes(name)) {
      throw refused(TypeError, `only a matrix may have ${name}`, value);
    }
  }
  checkLength("cutoff", cutoff, (x) => x > 0, "above 0");
  checkLength("skin", skin, (x) => x >= 0, "0 or more");
  checkOneOf("format", format, ["coo", "matrix"]);
  checkOneOf("half", half, [true, false]);
  if (overflow !== undefined) checkOneOf("overflow", overflow, ["grow", "throw"]);
  if (maxNeighbors !== undefined && !(Number.isSafeInteger(maxNeighbors) && maxNeighbors > 0)) {
    throw refused(RangeError, "maxNeighbors must be a whole number above 0", maxNeighbors);
  }
  if (maxNeighbors === undefined && overflow === "throw") {
    throw refused(TypeError, 'overflow: "throw" must come with maxNeighbors', maxNeighbors);
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

function checkLength(
  name: string,
  value: unknown,
  isGood: (x: number) => boolean,
  wanted: string,
): asserts value is number {
  if (typeof value !== "number") throw refused(TypeError, `${name} must be a number`, value);
  if (isGood(value) && value < Infinity) return;
  throw refused(RangeError, `${name} must be ${wanted} and finite`, value);
}

function checkOneOf(name: string, value: unknown, choices: readonly unknown[]): void {
  if (choices.includes(value)) return;
  throw refused(RangeError, `${name} must be ${choices.map(show).join(" or ")}`, value);
}

function refused(
  kind: typeof TypeError | typeof RangeError,
  requirement: string,
  value: unknown,
): Error {
  return new kind(
    `Cannot make a list of neighbors as ${requirement}: current value is ${show(value)}`,
  );
}
