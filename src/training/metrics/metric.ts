/**
 * The interface of metrics. A metric is a mean that is computed in the graph of the model, and a function of that
 * mean.
 *
 * @module
 */

import type { Value } from "../../onnx/graph/graph_builder.ts";
import type { TrainingBatch } from "../data/data_source.ts";
import {
  countLabels,
  type CrossEntropyOptions,
  labelsOf,
  meanNegativeLog,
  rowsOf,
} from "../losses/cross_entropy.ts";
import type { Loss, LossBuilder } from "../losses/loss.ts";

/** A metric, which is measured in training and in validation. */
export interface Metric {
  /**
   * Adds the mean of the metric, a single number, to the graph, and returns it. The mean is taken over the elements
   * that `count` counts.
   */
  mean(builder: LossBuilder): Value<"f32">;
  /**
   * Returns the number of elements over which the mean of a batch is taken.
   *
   * @default the number of samples in the batch
   */
  count?(batch: TrainingBatch): number;
  /**
   * Converts the mean over all batches to the value of the metric.
   *
   * @default the mean itself
   */
  finish?(mean: number): number;
}

/** Metrics, or losses with a single term, by name. */
export type MetricsByName = Readonly<Record<string, Metric | Loss>>;

/** Options of metrics that compare scores with labels. */
export type LabelOptions = Pick<CrossEntropyOptions, "output" | "target" | "ignore">;

/**
 * Returns the accuracy: the fraction of labels whose class has the highest score.
 *
 * @example
 * ```ts
 * import { accuracy, crossEntropy, perplexity } from "@hooke/hooke/training";
 *
 * const loss = crossEntropy({ target: "label" });
 * const metrics = { accuracy: accuracy({ target: "label" }), perplexity: perplexity({ target: "label" }) };
 * console.log(loss.name, Object.keys(metrics));
 * ```
 */
export function accuracy(options: LabelOptions = {}): Metric {
  const { output, target = "target", ignore = -100 } = options;
  return {
    mean(builder) {
      const { graph } = builder;
      const scores = builder.output(output), rows = rowsOf(graph, scores);
      const labels = labelsOf(builder, target, { scores, ignore });
      const best = graph.op("ArgMax", [rows], "i64", { axis: 1, keepdims: 0 });
      const isRight = graph.op("Equal", [best, labels.safe], "bool");
      const right = graph.mul(graph.op("Cast", [isRight], "f32", { to: 1 }), labels.counts);
      return graph.div(graph.op("ReduceSum", [right], "f32", { keepdims: 0 }), labels.total);
    },
    count: countLabels(target, ignore),
  };
}

/**
 * Returns the perplexity, which is e to the power of the cross entropy. It is the effective number of classes among
 * which a model is undecided.
 *
 * @example Four equally likely classes
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { crossEntropy, perplexity, sgd, Trainer } from "@hooke/hooke/training";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("doubt");
 * const w = g.parameter("w", [0, 0, 0, 0], [1, 4]);
 * g.output("scores", g.op("MatMul", [g.input("x", "f32", ["B", 1]), w], "f32"), ["B", 4]);
 * const batch = {
 *   x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *   target: { data: BigInt64Array.of(3n, 1n) },
 * };
 * await using trainer = new Trainer({
 *   model: g.build(),
 *   loss: crossEntropy(),
 *   metrics: { perplexity: perplexity() },
 *   validation: [batch],
 *   optimizers: sgd({ lr: 0.1 }),
 * });
 * assertAlmostEquals((await trainer.validate())["val/perplexity"]!, 4, 1e-5);
 * ```
 */
export function perplexity(options: LabelOptions = {}): Metric {
  const { target = "target", ignore = -100 } = options;
  return {
    mean: (builder) => meanNegativeLog(builder, options),
    count: countLabels(target, ignore),
    finish: Math.exp,
  };
}
