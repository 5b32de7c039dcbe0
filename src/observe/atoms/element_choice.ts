/**
 * Selection of atoms by element.
 *
 * @module
 */

import { atomicNumber } from "../../batch/elements.ts";
import { complaint } from "../../base/show.ts";

/** An element: `"Ar"`, or 18. */
export type ElementName = string | number;

/** Returns the atomic number of an element. Throws a TypeError if the value is not an element. */
export function numberOf(hook: string, element: unknown, member: string = "element"): number {
  const isNumber = Number.isSafeInteger(element) && (element as number) >= 0;
  if (isNumber) return element as number;
  if (typeof element === "string") return atomicNumber(element);
  throw new TypeError(
    complaint(`make a ${hook}`, `${member} must be a symbol or an atomic number`, element),
  );
}

/**
 * Returns the indices from `from` up to, but not including, `to` of the atoms of an element; of all atoms if
 * `element` is undefined.
 */
export function atomIndices(
  numbers: ArrayLike<number> | undefined,
  from: number,
  to: number,
  element: number | undefined,
): Int32Array {
  const indices = Int32Array.from({ length: to - from }, (_, i) => from + i);
  return element === undefined ? indices : indices.filter((i) => numbers![i] === element);
}
