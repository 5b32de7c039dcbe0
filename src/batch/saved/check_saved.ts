/**
 * What a checkpoint keeps of a batch on a backend, checked: buffers take what they are given.
 *
 * @module
 */

import type { SavedPairs } from "../../backend/backend.ts";
import { show } from "../../base/show.ts";

/** Throws a TypeError where values are no numbers, or not as many as there should be. */
export function assertValues(what: string, values: unknown, length: number): void {
  if (ArrayBuffer.isView(values) && (values as Float64Array).length === length) return;
  throw new TypeError(
    `Cannot go on from a checkpoint as ${what} must be an array of ${length} numbers: current value is ${
      show(values)
    }`,
  );
}

/** Throws a TypeError for what does not say how the pairs of these systems were found. */
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
