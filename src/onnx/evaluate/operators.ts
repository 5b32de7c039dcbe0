/**
 * All operators that the evaluator knows by itself.
 *
 * @module
 */

import { ACTIVATIONS } from "./activations.ts";
import { BATCH_NORMALIZATION } from "./batch_normalization.ts";
import { CASTS } from "./casts.ts";
import { CONTRIB } from "./contrib.ts";
import { CONVOLUTION } from "./convolution.ts";
import { EINSUM } from "./einsum.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { GENERATORS } from "./generators.ts";
import { INDEXING } from "./indexing.ts";
import { LAYOUT } from "./layout.ts";
import { LINEAR } from "./linear.ts";
import { LOGIC } from "./logic.ts";
import { NORMALIZATION } from "./normalization.ts";
import type { Operators } from "./operator.ts";
import { ORDERING } from "./ordering.ts";
import { PLAIN_NORMALIZATION } from "./plain_normalization.ts";
import { POOLING } from "./pooling.ts";
import { REARRANGING } from "./rearranging.ts";
import { REDUCTIONS } from "./reductions.ts";
import { SCATTERING } from "./scattering.ts";
import { SHAPES } from "./shapes.ts";

/** Operator → what it does. */
export const OPERATORS: Operators = {
  ...ACTIVATIONS,
  ...BATCH_NORMALIZATION,
  ...CASTS,
  ...CONTRIB,
  ...CONVOLUTION,
  ...EINSUM,
  ...ELEMENTWISE,
  ...GENERATORS,
  ...INDEXING,
  ...LAYOUT,
  ...LINEAR,
  ...LOGIC,
  ...NORMALIZATION,
  ...ORDERING,
  ...PLAIN_NORMALIZATION,
  ...POOLING,
  ...REARRANGING,
  ...REDUCTIONS,
  ...SCATTERING,
  ...SHAPES,
};
