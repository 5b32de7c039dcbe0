/**
 * Atoms of an element.
 *
 * @module
 */

import { atomicNumber } from "../../batch/elements.ts";
import { complaint } from "../../base/show.ts";

/** An element: `"Ar"`, or 18. */
export type ElementName = string | number;

/** The atomic number. Throws a TypeError for what is no element. */
export function numberOf(hook: string, element: unknown, member: string = "element"): number {
  const isNumber = Number.isSafeInteger(element) && (element as number) >= 0;
  if (isNumber) return element as number;
  if (typeof element === "string") return atomicNumber(element);
  throw new TypeError(
    complaint(`make a ${hook}`, `${member} must be a symbol or an atomic number`, element),
  );
}

/** The places of the atoms `from` … `to` that are of an element; of all of them without one. */
export function placesOf(
  numbers: ArrayLike<number> | undefined,
  from: number,
  to: number,
  element: number | undefined,
): Int32Array {
  const places = Int32Array.from({ length: to - from }, (_, i) => from + i);
  return element === undefined ? places : places.filter((i) => numbers![i] === element);
}
