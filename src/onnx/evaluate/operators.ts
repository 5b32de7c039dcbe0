/**
 * All operators that the evaluator knows by itself.
 *
 * @module
 */

import { ACTIVATIONS } from "./activations.ts";
import { CASTS } from "./casts.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { GENERATORS } from "./generators.ts";
import { LAYOUT } from "./layout.ts";
import { LOGIC } from "./logic.ts";
import type { Operators } from "./operator.ts";
import { REDUCTIONS } from "./reductions.ts";
import { SHAPES } from "./shapes.ts";

/** Operator → what it does. */
export const OPERATORS: Operators = {
  ...ACTIVATIONS,
  ...CASTS,
  ...ELEMENTWISE,
  ...GENERATORS,
  ...LAYOUT,
  ...LOGIC,
  ...REDUCTIONS,
  ...SHAPES,
};
