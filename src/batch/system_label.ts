/**
 * The names by which users know the systems of a batch.
 *
 * @module
 */

import type { Info } from "./store.ts";

/** Keys of `info` that name a system, the first that it has. */
const KEYS = ["label", "name", "file"] as const;

/**
 * Returns the name by which the user knows a system: the `label`, `name` or `file` of its `info`; `undefined` if it has
 * none of them.
 */
export function labelOf(info: Info | undefined): string | undefined {
  for (const key of KEYS) {
    const value = info?.[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
