/**
 * Checks of a resident batch's snapshot: buffers would take any numbers.
 *
 * @module
 */

import type { SavedPairs } from "../../backend/backend.ts";
import { show } from "../../base/show.ts";

/** Throws a TypeError unless values are an array of so many numbers. */
export function assertValues(what: string, values: unknown, length: number): void {
  if (ArrayBuffer.isView(values) && (values as Float64Array).length === length) return;
  throw new TypeError(
    `Cannot go on from a checkpoint as ${what} must be an array of ${length} numbers: current value is ${
      show(values)
    }`,
  );
}

/** Throws a TypeError unless saved pairs fit the systems of these offsets. */
export function assertSavedPairs(saved: SavedPairs, offsets: Int32Array): void {
  const systems = offsets.length - 1;
  const { builds, cells, reference, images } = saved;
  assertValues("how often pairs were found", builds, systems);
  assertValues("the cells of pairs", cells, 9 * systems);
  let numbers = 0; // systems whose pairs were never found have none
  for (let s = 0; s < systems; s++) {
    if (builds[s]! > 0) numbers += 3 * (offsets[s + 1]! - offsets[s]!);
  }
  assertValues("where pairs were found", reference, numbers);
  assertValues("the images of pairs", images, numbers);
}
