/**
 * Selections of systems of a batch.
 *
 * @module
 */

import { show } from "../base/show.ts";

/**
 * Selection of systems by their slots, or by a mask: a list of booleans, or a Uint8Array of zeros
 * and ones, one per system. A Uint8Array is always a mask; all other numbers are slots.
 */
export type Selection = ArrayLike<number> | readonly boolean[];

/**
 * Returns the slots of a selection, in its order.
 *
 * @throws {TypeError} if the selection is neither a list of slots nor a mask
 * @throws {RangeError} if a slot does not exist, or a mask has a wrong length
 */
export function placesOf(selection: Selection, size: number, action: string): number[] {
  const list: unknown = selection;
  if (!Array.isArray(list) && !(ArrayBuffer.isView(list) && "length" in list)) {
    throw new TypeError(
      `Cannot ${action}: the selection of systems must be a list of slots or a mask; got ${
        show(selection)
      }`,
    );
  }
  if (list instanceof Uint8Array || typeof (list as ArrayLike<unknown>)[0] === "boolean") {
    return placesOfMask(list as ArrayLike<unknown>, size, action);
  }
  return Array.from(list as ArrayLike<unknown>, (place) => checkedPlace(place, size, action));
}

function placesOfMask(mask: ArrayLike<unknown>, size: number, action: string): number[] {
  const flags = Array.from(mask);
  const isMask = flags.every((x) => typeof x === "boolean" || x === 0 || x === 1);
  if (flags.length !== size || !isMask) {
    throw new RangeError(
      `Cannot ${action}: a mask must have ${size} flags, one per system; got ${show(mask)}`,
    );
  }
  return flags.flatMap((flag, place) => flag ? [place] : []);
}

/**
 * Checks a slot.
 *
 * @throws {RangeError} if it does not exist
 */
export function checkedPlace(place: unknown, size: number, action: string): number {
  if (Number.isInteger(place) && (place as number) >= 0 && (place as number) < size) {
    return place as number;
  }
  throw new RangeError(
    `Cannot ${action}: the slot of a system must be 0 … ${size - 1}; got ${show(place)}`,
  );
}
