/**
 * Metrics: what is measured besides the loss.
 *
 * @module
 */

export type { LabelOptions, Metric, Metrics } from "./metric.ts";
export { accuracy, perplexity } from "./metric.ts";
