/**
 * From one type of elements to another.
 *
 * @module
 */

import type { Operators } from "./operator.ts";

/** From one type of elements to another. */
export const CASTS: Operators = {};
