/**
 * Activations of neural networks.
 *
 * @module
 */

import type { Operators } from "./operator.ts";

/** Activations of neural networks. */
export const ACTIVATIONS: Operators = {};
