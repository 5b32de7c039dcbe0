/**
 * Shapes: asking for them, and seeing the same elements in another one.
 *
 * @module
 */

import type { Operators } from "./operator.ts";

/** Shapes: asking for them, and seeing the same elements in another one. */
export const SHAPES: Operators = {};
