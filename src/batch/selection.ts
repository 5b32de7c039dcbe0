/**
 * Which systems of a batch are meant.
 *
 * @module
 */

import { show } from "../base/show.ts";

/**
 * Systems by their places, or by a mask: a list of booleans, or a Uint8Array of zeros and ones, one per system. A
 * Uint8Array is always a mask; any other numbers are places.
 */
export type Selection = ArrayLike<number> | readonly boolean[];

/**
 * The places a selection means, in its order.
 *
 * @throws {TypeError} for what is neither places nor mask
 * @throws {RangeError} for a place there is not, or a mask of another length
 */
export function placesOf(selection: Selection, size: number, action: string): number[] {
  const list: unknown = selection;
  if (!Array.isArray(list) && !(ArrayBuffer.isView(list) && "length" in list)) {
    throw new TypeError(
      `Cannot ${action} as the systems must be given by places or by a mask: current value is ${
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
      `Cannot ${action} as a mask must have ${size} flags, one per system: current value is ${
        show(mask)
      }`,
    );
  }
  return flags.flatMap((flag, place) => flag ? [place] : []);
}

/** @throws {RangeError} for a place there is not */
export function checkedPlace(place: unknown, size: number, action: string): number {
  if (Number.isInteger(place) && (place as number) >= 0 && (place as number) < size) {
    return place as number;
  }
  throw new RangeError(
    `Cannot ${action} as a system's place must be 0 … ${size - 1}: current value is ${show(place)}`,
  );
}
