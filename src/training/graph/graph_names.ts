/**
 * Names of the values that a trainer adds to a graph. No model has such names.
 *
 * @module
 */

/** All parameters in one tensor, if they are fed as one. */
export const FLAT_PARAMETERS = "hooke:parameters";

/** All gradients in one tensor. */
export const FLAT_GRADIENTS = "hooke:gradients";

/** The factors of the gradients of each term of the loss. */
export const SHARES = "hooke:shares";

/** The means of the loss's terms, then of the metrics. */
export const MEANS = "hooke:means";

/** Returns the name of the gradient by a parameter. */
export function gradientName(parameter: string): string {
  return `hooke:gradient:${parameter}`;
}

/** Returns the name of the derivative of a custom loss by an output. */
export function slopeName(output: string): string {
  return `hooke:slope:${output}`;
}
