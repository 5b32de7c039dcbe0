/**
 * Options that callers without types misspell.
 *
 * @module
 */

import { didYouMean } from "./did_you_mean.ts";
import { show } from "./show.ts";

/** Throws a TypeError for options that are no object, and for one that is not known. */
export function checkOptions(action: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `Cannot ${action} as its options must be an object: current value is ${show(options)}`,
    );
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const list = known.join(", ");
  throw new TypeError(
    `Cannot ${action} as its options must be among ${list}: current value is ${show(unknown)}` +
      didYouMean(unknown, known),
  );
}
