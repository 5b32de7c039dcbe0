/**
 * The error for a field that is not there.
 *
 * @module
 */

import { show } from "./show.ts";

/** The error for a field that a system or batch does not have. */
export function missing(name: unknown, names: Iterable<string>, where: string): TypeError {
  const known = [...names].join(", ");
  return new TypeError(
    `Cannot get ${
      show(name)
    } as the ${where} must have a field of that name: current fields are ${known}`,
  );
}
