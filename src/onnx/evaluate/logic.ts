/**
 * Comparisons, truth values and bits.
 *
 * @module
 */

import type { Operators } from "./operator.ts";

/** Comparisons, truth values and bits. */
export const LOGIC: Operators = {};
