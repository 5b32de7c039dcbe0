/**
 * Sums, means and extremes along axes.
 *
 * @module
 */

import type { Operators } from "./operator.ts";

/** Sums, means and extremes along axes. */
export const REDUCTIONS: Operators = {};
