/**
 * Checks of the arguments of `fixBonds`.
 *
 * @module
 */

import { checkNumber, type NumberRule, POSITIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import type { Members } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** Range of the relative tolerance of bond lengths. */
const TOLERANCE: NumberRule = {
  requirement: "above 0 and below 0.1",
  holds: (x) => x > 0 && x < 0.1,
};

/** Returns whether bonds are one list for all systems, and not a list for each system. */
export function isShared(bonds: readonly unknown[]): boolean {
  return !bonds.some((one) => Array.isArray(one) && typeof one[0] !== "number");
}

/** Throws a TypeError if a value is not a list of bonds, and a RangeError for invalid bonds. */
export function checkBonds(bonds: unknown): void {
  if (typeof bonds === "string") return;
  if (!Array.isArray(bonds)) {
    throw new TypeError(
      complaint(
        `make fixBonds`,
        "bonds must be an array of pairs of atoms, such as [[0, 1]], or the name of a field",
        bonds,
      ),
    );
  }
  if (isShared(bonds)) return checkPairs(bonds, "");
  for (const [s, list] of bonds.entries()) {
    if (!Array.isArray(list)) {
      throw new TypeError(
        complaint(
          `make fixBonds`,
          `the bonds of system ${s} must be an array of pairs of atoms`,
          list,
        ),
      );
    }
    checkPairs(list, ` of system ${s}`);
  }
}

/**
 * Throws a TypeError or RangeError for the first invalid bond of a list. `of` names the system in messages, as " of
 * system 3", or is empty.
 */
export function checkPairs(pairs: readonly unknown[], of: string): void {
  const known = new Set<string>();
  for (const [b, pair] of pairs.entries()) {
    const isPair = Array.isArray(pair) && pair.length === 2 &&
      pair.every((atom) => Number.isInteger(atom) && atom >= 0);
    if (!isPair) {
      throw new TypeError(
        complaint(
          "make fixBonds",
          `bond ${b}${of} must be two indices of atoms, counted from 0`,
          pair,
        ),
      );
    }
    const [i, j] = [Math.min(...pair), Math.max(...pair)];
    const wrong = i === j
      ? "join two different atoms"
      : known.has(`${i} ${j}`)
      ? "be listed only once"
      : undefined;
    if (wrong !== undefined) {
      throw new RangeError(
        `Cannot make fixBonds: bond ${b}${of} must ${wrong}; got atoms ${i} and ${j}`,
      );
    }
    known.add(`${i} ${j}`);
  }
}

/** Throws a TypeError or RangeError that names the first invalid option. */
export function checkFixBonds(options: unknown): void {
  const action = "make fixBonds";
  checkOptions(action, options, ["lengths", "tolerance", "maxIterations"]);
  const { lengths, tolerance, maxIterations } = options as Members;
  if (tolerance !== undefined) checkNumber(action, "tolerance", tolerance, TOLERANCE);
  if (maxIterations !== undefined) {
    checkNumber(action, "maxIterations", maxIterations, wholeFrom(1));
  }
  for (const length of Array.isArray(lengths) ? lengths.flat() : [lengths]) {
    if (length !== undefined) checkNumber(action, "lengths", length, POSITIVE);
  }
}
