/**
 * Selections of systems of a batch.
 *
 * @module
 */

import { checkKeys } from "../base/check_options.ts";
import { isObject } from "../base/object.ts";
import { show } from "../base/show.ts";

/**
 * Selection of systems of a batch, as a list of slots or as a mask. A mask has one flag per system: a list of
 * booleans, or a Uint8Array of zeros and ones. A Uint8Array is always a mask; all other numbers are slots.
 */
export type Selection = ArrayLike<number> | readonly boolean[];

/** Range of slots. Negative slots count from the end, as in `Array.slice`. */
export interface SlotRange {
  /**
   * First slot.
   *
   * @default 0
   */
  readonly from?: number;
  /**
   * Slot after the last one.
   *
   * @default the number of systems
   */
  readonly to?: number;
}

/**
 * Converts one slot or a range of slots to a list of slots. Returns other selections unchanged.
 *
 * @throws {TypeError} if a range has a member other than `from` and `to`
 * @throws {RangeError} if a slot does not exist, or `from` or `to` is not a whole number
 */
export function listedSlots(
  selection: Selection | number | SlotRange,
  size: number,
  action: string,
): Selection {
  if (typeof selection === "number") {
    return [checkedPlace(selection < 0 ? size + selection : selection, size, action, selection)];
  }
  if (!isObject(selection) || ArrayBuffer.isView(selection)) return selection as Selection;
  const { from = 0, to = size } = selection as SlotRange;
  checkKeys(action, "a range of slots", selection, ["from", "to"]);
  for (const end of [from, to]) {
    if (Number.isInteger(end)) continue;
    throw new RangeError(
      `Cannot ${action}: the ends of a range must be whole numbers; got ${show(end)}`,
    );
  }
  return Array.from({ length: size }, (_, place) => place).slice(from, to);
}

/**
 * Returns the slots of a selection: in the order of a list of slots, or in increasing order for a mask.
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
 * Returns a slot after checking it. `given` is the value that the error message shows, if the caller passed another
 * one.
 *
 * @throws {RangeError} if no system has this slot
 */
export function checkedPlace(
  place: unknown,
  size: number,
  action: string,
  given: unknown = place,
): number {
  if (Number.isInteger(place) && (place as number) >= 0 && (place as number) < size) {
    return place as number;
  }
  throw new RangeError(
    `Cannot ${action}: the slot of a system must be an integer from 0 to ${size - 1}; got ${
      show(given)
    }`,
  );
}
