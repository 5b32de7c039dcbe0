/**
 * What a trainer adds to a graph, by names that no model has.
 *
 * @module
 */

/** The parameters in one tensor, where they are fed as one. */
export const FLAT_PARAMETERS = "hooke:parameters";

/** Their gradients in one. */
export const FLAT_GRADIENTS = "hooke:gradients";

/** What the gradients of each term of the loss are multiplied by. */
export const SHARES = "hooke:shares";

/** The means of the loss's terms, then of the metrics. */
export const MEANS = "hooke:means";

/** The gradient by a parameter. */
export function gradientName(parameter: string): string {
  return `hooke:gradient:${parameter}`;
}

/** The slope of a loss of one's own by an output. */
export function slopeName(output: string): string {
  return `hooke:slope:${output}`;
}
