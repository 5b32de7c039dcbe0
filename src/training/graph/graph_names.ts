/**
 * Names of the values that a trainer adds to a graph. Their prefix avoids collisions with names in models.
 *
 * @module
 */

/** Input with all parameters in one tensor, used on a GPU. */
export const FLAT_PARAMETERS = "hooke:parameters";

/** Output with all gradients in one tensor, used on a GPU. */
export const FLAT_GRADIENTS = "hooke:gradients";

/** Input with the factor of the gradients of each term of the loss. */
export const SHARES = "hooke:shares";

/** Output with the means of the terms of the loss, followed by those of the metrics. */
export const MEANS = "hooke:means";

/** Returns the name of the output with the gradient of a parameter. */
export function gradientName(parameter: string): string {
  return `hooke:gradient:${parameter}`;
}

/** Returns the name of the input with the derivative of a custom loss with respect to an output of the model. */
export function slopeName(output: string): string {
  return `hooke:slope:${output}`;
}
