/**
 * What a list of neighbours is to be, and the checks of it.
 *
 * @module
 */

import { show } from "../show.ts";

/** How neighbours are laid out: one row per pair (`"coo"`), or one row of neighbours per atom (`"matrix"`). */
export type NeighbourFormat = "coo" | "matrix";

/** What a list of neighbours is to be, in either format. */
export interface NeighbourOptions<F extends NeighbourFormat = NeighbourFormat> {
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
   * How neighbours are laid out.
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

/** What a matrix of neighbours is to be. */
export interface NeighbourMatrixOptions extends NeighbourOptions<"matrix"> {
  /** How neighbours are laid out. */
  readonly format: "matrix";
  /**
   * The least width of the matrix: a model of fixed size wants this one exactly.
   *
   * @default 16
   */
  readonly maxNeighbours?: number;
  /**
   * What happens when an atom has more neighbours than the matrix is wide: it grows to the next multiple of 16, or
   * an error says which atom it was.
   *
   * @default "throw" with `maxNeighbours`, "grow" without
   */
  readonly overflow?: "grow" | "throw";
}

/** What a list of neighbours is to be. */
export type NeighbourListOptions<F extends NeighbourFormat = NeighbourFormat> = F extends "matrix"
  ? NeighbourMatrixOptions
  : NeighbourOptions<"coo">;

/** All options, checked. */
export interface CheckedNeighbourOptions {
  readonly cutoff: number;
  readonly skin: number;
  readonly format: NeighbourFormat;
  readonly half: boolean;
  readonly maxNeighbours: number;
  readonly overflow: "grow" | "throw";
}

const NAMES = ["cutoff", "skin", "format", "half", "maxNeighbours", "overflow"];
const ONLY_MATRIX = ["maxNeighbours", "overflow"];

/** Throws a TypeError or RangeError that names the option that is wrong. */
export function checkNeighbourOptions(options: unknown): CheckedNeighbourOptions {
  if (typeof options !== "object" || options === null) {
    throw refused(TypeError, "its options must be an object with a cutoff", options);
  }
  const { cutoff, skin = 0.5, format = "coo", half = false, maxNeighbours, overflow } =
    options as Partial<NeighbourMatrixOptions>;
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
  if (maxNeighbours !== undefined && !(Number.isSafeInteger(maxNeighbours) && maxNeighbours > 0)) {
    throw refused(RangeError, "maxNeighbours must be a whole number above 0", maxNeighbours);
  }
  if (maxNeighbours === undefined && overflow === "throw") {
    throw refused(TypeError, 'overflow: "throw" must come with maxNeighbours', maxNeighbours);
  }
  return {
    ...{ cutoff, skin, format, half, maxNeighbours: maxNeighbours ?? 16 },
    overflow: overflow ?? (maxNeighbours === undefined ? "grow" : "throw"),
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
    `Cannot make a list of neighbours as ${requirement}: current value is ${show(value)}`,
  );
}
