/**
 * Tensors made from little: ranges, fills, one-hot rows.
 *
 * @module
 */

import type { Operators } from "./operator.ts";

/** Tensors made from little: ranges, fills, one-hot rows. */
export const GENERATORS: Operators = {};
