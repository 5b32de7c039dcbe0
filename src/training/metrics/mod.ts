/**
 * Metrics, which are measured in addition to the loss.
 *
 * @module
 */

export type { LabelOptions, Metric, MetricsByName } from "./metric.ts";
export { accuracy, perplexity } from "./metric.ts";
export type { PotentialErrorsOptions } from "./potential_errors.ts";
export { potentialErrors } from "./potential_errors.ts";
