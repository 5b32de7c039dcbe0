/**
 * Operators for random graphs: which values each takes, and with which attributes.
 *
 * @module
 */

import { ARITHMETIC, FUNCTIONS, MATRICES } from "./random_functions.ts";
import { INDEXING, SHAPING } from "./random_layouts.ts";
import type { Operator } from "./random_making.ts";
import { WINDOWS } from "./random_windows.ts";

/** Those that shrinking should come to first stand first. */
export const RANDOM_OPERATORS: Readonly<Record<string, Operator>> = {
  ...ARITHMETIC,
  ...FUNCTIONS,
  ...SHAPING,
  ...INDEXING,
  ...MATRICES,
  ...WINDOWS,
};
