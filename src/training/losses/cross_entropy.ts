import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";
import { GraphFacts } from "../../onnx/infer/facts.ts";
import { declaredShape } from "../../onnx/infer/declared_shape.ts";
import { checkKeys } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import type { TrainingBatch } from "../data/data_source.ts";
import type { Loss, LossBuilder } from "./loss.ts";

/** Options of {@linkcode crossEntropy}. */
export interface CrossEntropyOptions {
  /**
   * Name of the output with a score for each class along its last axis, before any softmax.
   *
   * @default the only float32 output of the model
   */
  readonly output?: string;
  /**
   * Name of the tensor in a batch with the correct classes, integers from 0. For scores [B, T, C] it has the shape
   * [B, T].
   *
   * @default "target"
   */
  readonly target?: string;
  /**
   * Label of samples that are ignored.
   *
   * @default -100
   */
  readonly ignore?: number;
  /**
   * Label smoothing: the fraction of the probability of the correct class that is spread over all classes, from 0 to
   * 1.
   *
   * @default 0
   */
  readonly smoothing?: number;
}

const OPTIONS = ["output", "target", "ignore", "smoothing"];

/**
 * Returns the cross entropy, the usual loss of classifiers. It is the mean of −log p(correct class) over the labels
 * that are not ignored, where p is the softmax of the scores. If all labels are ignored, it is 0.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if `smoothing` is not from 0 to 1, or if `ignore` is not an integer
 *
 * @example
 * ```ts
 * import { crossEntropy } from "@hooke/hooke/training";
 *
 * const loss = crossEntropy({ output: "logits", target: "label", smoothing: 0.1 });
 * console.log(loss.name);
 * ```
 */
export function crossEntropy(options: CrossEntropyOptions = {}): Loss {
  const { target = "target", ignore = -100, smoothing = 0 } = options;
  checkKeys("make a crossEntropy loss", "its options", options, OPTIONS);
  if (!Number.isSafeInteger(ignore)) {
    throw new RangeError(
      complaint("make a crossEntropy loss", "ignore must be a whole number", ignore),
    );
  }
  if (!(smoothing >= 0 && smoothing <= 1)) {
    throw new RangeError(
      complaint("make a crossEntropy loss", "smoothing must be from 0 to 1", smoothing),
    );
  }
  return {
    name: "crossEntropy",
    terms: (builder) => [{
      mean: meanNegativeLog(builder, options),
      count: countLabels(target, ignore, classesOf(builder, options.output)),
    }],
  };
}

/**
 * Returns a function that counts the labels of a batch that are not ignored. It throws a RangeError for a label that
 * is not the index of a class: runtimes would take −1 for the last class, and a GPU would read undefined memory.
 */
export function countLabels(
  target: string,
  ignore: number,
  classes: number = Infinity,
): (batch: TrainingBatch) => number {
  return ({ feeds }) => {
    let count = 0;
    for (const given of feeds[target]?.data ?? []) {
      const label = Number(given);
      if (label === ignore) continue;
      if (!(label >= 0 && label < classes)) throw noClass(target, label, { ignore, classes });
      count++;
    }
    return count;
  };
}

function noClass(
  target: string,
  label: number,
  { ignore, classes }: { readonly ignore: number; readonly classes: number },
): RangeError {
  const range = classes === Infinity ? "0 or more" : `from 0 to ${classes - 1}`;
  return new RangeError(
    `Cannot use the labels ${
      JSON.stringify(target)
    } of a batch: each must be a class ${range}, or ${ignore}; got ${label}`,
  );
}

/** Returns the number of classes; `undefined` if the shape of the scores is unknown. */
function classesOf({ graph, output }: LossBuilder, name: string | undefined): number | undefined {
  const last = new GraphFacts(graph.graph).of(output(name).name).shape?.at(-1);
  return typeof last === "number" ? last : undefined;
}

/** Labels in the graph. An ignored label becomes class 0 with the weight 0. */
export interface Labels {
  /** The class of each label, as a vector. */
  readonly safe: Value<"i64">;
  /** The weight of each label: 1, or 0 if it is ignored. */
  readonly counts: Value<"f32">;
  /** Number of labels that are not ignored, but at least 1. */
  readonly total: Value<"f32">;
}

/**
 * Adds an input for the labels to the graph, and flattens it to a vector. The labels of a batch have the shape of the
 * scores without the last axis. If that shape is unknown, the labels must be a vector.
 */
export function labelsOf(
  { graph, target }: LossBuilder,
  name: string,
  { scores, ignore }: { readonly scores: Value<"f32">; readonly ignore: number },
): Labels {
  const { shape } = new GraphFacts(graph.graph).of(scores.name);
  const like = shape === undefined ? [FREE_ROWS] : declaredShape(shape).slice(0, -1);
  const given = target(name, "i64", like);
  const labels = like.length === 1 ? given : graph.reshape(given, graph.constant("i64", [-1]));
  const isLeftOut = graph.op("Equal", [labels, graph.constant("i64", ignore)], "bool");
  const safe = graph.where(isLeftOut, 0, labels);
  const counts = graph.op("Cast", [graph.op("Not", [isLeftOut], "bool")], "f32", { to: 1 });
  const sum = graph.op("ReduceSum", [counts], "f32", { keepdims: 0 });
  return { safe, counts, total: graph.op("Max", [sum, graph.constant("f32", 1)], "f32") };
}

/** Name of the free dimension of the labels, used if the shape of the scores is unknown. */
const FREE_ROWS = "labels";

/** Adds the mean of −log p(correct class) to the graph, and returns it. */
export function meanNegativeLog(builder: LossBuilder, options: CrossEntropyOptions): Value<"f32"> {
  const { graph } = builder, { target = "target", ignore = -100, smoothing = 0 } = options;
  const scores = builder.output(options.output);
  const logs = logSoftmax(graph, rowsOf(graph, scores));
  const labels = labelsOf(builder, target, { scores, ignore });
  const places = graph.unsqueeze(labels.safe, [1]);
  const right = graph.op("GatherElements", [logs, places], "f32", { axis: 1 });
  let negative = graph.op("Neg", [graph.squeeze(right, [1])], "f32");
  if (smoothing > 0) {
    const all = graph.op("Neg", [
      graph.op("ReduceMean", [logs, graph.constant("i64", [1])], "f32", { keepdims: 0 }),
    ], "f32");
    negative = graph.add(graph.mul(negative, 1 - smoothing), graph.mul(all, smoothing));
  }
  const counted = graph.mul(negative, labels.counts);
  const sum = graph.op("ReduceSum", [counted], "f32", { keepdims: 0 });
  return graph.div(sum, labels.total);
}

/** Adds nodes that reshape the scores to a matrix, [labels, classes], and returns the matrix. */
export function rowsOf(graph: GraphBuilder, scores: Value<"f32">): Value<"f32"> {
  const shape = graph.op("Shape", [scores], "i64");
  const classes = graph.gather(shape, graph.constant("i64", [-1]));
  const minusOne = graph.constant("i64", [-1]);
  return graph.reshape(scores, graph.op("Concat", [minusOne, classes], "i64", { axis: 0 }));
}

/** Adds the log softmax of each row to the graph, composed of basic operators, because WebGPU has no LogSoftmax. */
function logSoftmax(graph: GraphBuilder, rows: Value<"f32">): Value<"f32"> {
  const axis = graph.constant("i64", [1]);
  const most = graph.op("ReduceMax", [rows, axis], "f32", { keepdims: 1 });
  const shifted = graph.sub(rows, most);
  const sum = graph.op("ReduceSum", [graph.op("Exp", [shifted], "f32"), axis], "f32", {
    keepdims: 1,
  });
  return graph.sub(shifted, graph.op("Log", [sum], "f32"));
}
