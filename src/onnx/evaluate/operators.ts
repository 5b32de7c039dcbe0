/**
 * All built-in operators of the evaluator.
 *
 * @module
 */

import { ACTIVATIONS } from "./operators/activations.ts";
import { BATCH_NORMALIZATION } from "./operators/normalizations/batch_normalization.ts";
import { CASTS } from "./operators/casts.ts";
import { CONTRIB } from "./operators/contrib.ts";
import { CONVOLUTION } from "./operators/convolution.ts";
import { EINSUM } from "./operators/einsum.ts";
import { ELEMENTWISE } from "./operators/elementwise.ts";
import { GENERATORS } from "./operators/generators.ts";
import { INDEXING } from "./operators/indexing.ts";
import { LAYOUT } from "./operators/layout.ts";
import { LINEAR } from "./operators/linear.ts";
import { LOGIC } from "./operators/logic.ts";
import { NORMALIZATION } from "./operators/normalizations/normalization.ts";
import type { Operators } from "./operator.ts";
import { ORDERING } from "./operators/ordering.ts";
import { PLAIN_NORMALIZATION } from "./operators/normalizations/plain_normalization.ts";
import { POOLING } from "./operators/pooling.ts";
import { REARRANGING } from "./operators/rearranging.ts";
import { REDUCTIONS } from "./operators/reductions.ts";
import { SCATTERING } from "./operators/scattering.ts";
import { SHAPES } from "./operators/shapes.ts";

/** Implementations of all built-in operators, by operator. */
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
