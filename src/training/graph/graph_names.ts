/**
 * Names of the values that a trainer adds to a graph. Their prefix avoids collisions with names in models.
 *
 * @module
 */

/** Name of the input with all parameters in one tensor, used on a GPU. */
export const FLAT_PARAMETERS = "hooke:parameters";

/** Name of the output with all gradients in one tensor, used on a GPU. */
export const FLAT_GRADIENTS = "hooke:gradients";

/** Name of the input with one factor per term of the loss, by which the gradients of the term are multiplied. */
export const SHARES = "hooke:shares";

/** Name of the output with the means of the terms of the loss, followed by those of the metrics. */
export const MEANS = "hooke:means";

/** Returns the name of the output with the gradient of a parameter. */
export function gradientName(parameter: string): string {
  return `hooke:gradient:${parameter}`;
}

/** Returns the name of the input with the derivative of a custom loss with respect to an output of the model. */
export function slopeName(output: string): string {
  return `hooke:slope:${output}`;
}
