/**
 * Elements moved: joined, split, cut, padded, repeated.
 *
 * @module
 */

import type { Operators } from "./operator.ts";

/** Elements moved: joined, split, cut, padded, repeated. */
export const LAYOUT: Operators = {};
