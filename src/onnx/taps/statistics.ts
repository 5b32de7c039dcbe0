import type { Attributes } from "../codec/attributes.ts";
import { codeOf, type ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { valueInfo } from "../codec/value_info.ts";
import { checkHistogram, edgesOf, type HistogramOptions } from "./histogram.ts";
import { Elements } from "./elements.ts";
import { findPoints, type TensorPoint } from "./points.ts";

/** A statistic that is one number per tensor. */
export type ScalarStatistic = "mean" | "std" | "min" | "max" | "norm" | "nonFinite";

/** A statistic of a tensor's elements. */
export type StatisticName = ScalarStatistic | "histogram";

const SCALARS: readonly ScalarStatistic[] = ["mean", "std", "min", "max", "norm", "nonFinite"];

/** Options of {@linkcode statistics}. */
export interface StatisticsOptions {
  /**
   * Statistics to compute, in the order of the columns.
   *
   * @default ["mean", "std", "min", "max"]
   */
  readonly of?: readonly StatisticName[];
  /** Bins of the histogram; required if `of` contains `"histogram"`. */
  readonly histogram?: HistogramOptions;
}

/** Names of the outputs that contain the statistics of one tensor. */
export interface TensorStatistics {
  /** Name of the tensor. */
  readonly tensor: string;
  /**
   * Name of the output with all statistics that are one number, of shape [columns]; `undefined` if there are no such
   * statistics.
   */
  readonly output: string | undefined;
  /** Statistics in `output`, in the order of its elements. */
  readonly columns: readonly ScalarStatistic[];
  /** Name of the output with the counts of the histogram, of shape [bins]; `undefined` without a histogram. */
  readonly histogram: string | undefined;
  /** Edges of the bins in ascending order, one more than there are bins; empty without a histogram. */
  readonly edges: readonly number[];
}

/**
 * Computes statistics of tensors inside the graph, so that only a few numbers are copied to the host instead of the
 * tensors. Each tensor gets one additional output, and another one for its histogram. The nodes of the graph do not
 * change.
 *
 * | column | meaning | value for an empty tensor |
 * |---|---|---|
 * | `mean` | mean | NaN |
 * | `std` | standard deviation of a population (divided by n, not n − 1), in two passes | NaN |
 * | `min`, `max` | minimum and maximum | +∞, −∞ |
 * | `norm` | square root of the sum of squares | 0 |
 * | `nonFinite` | number of elements that are NaN or infinite | 0 |
 *
 * A single NaN makes all columns NaN except `nonFinite`. A histogram ignores NaN, and counts values outside its
 * range in the outer bins, including infinities. Values very close to an edge may be counted on either side.
 *
 * The outputs are float64 for tensors of float64, and float32 otherwise. Other types are cast to float32 first:
 * integers above 2²⁴ are rounded, and `true` is 1. Squares may overflow: elements above 10¹⁹ have an infinite norm.
 * WGSL allows a GPU to assume that values are never NaN or infinite; on such a GPU the statements about them do not
 * hold.
 *
 * @param globs names or patterns, as in {@linkcode points}
 * @returns outputs with the statistics, one entry per tensor
 * @throws {RangeError} if a pattern matches nothing, a statistic is unknown, or a histogram has no bins or an
 * invalid range
 * @throws {TypeError} if a name is that of a sequence, or a tensor has strings or complex numbers
 * @throws {UnsupportedNodeError} if a name is in a node's subgraph
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, lennardJonesModel, statistics } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const graph = new Graph(decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 })));
 * const [forces] = statistics(graph, "forces", {
 *   of: ["norm", "max", "histogram"],
 *   histogram: { bins: 4, range: [-1, 1] },
 * });
 * assertEquals([forces?.output, forces?.columns], ["tap:forces.statistics", ["norm", "max"]]);
 * assertEquals([forces?.histogram, forces?.edges], ["tap:forces.histogram", [-1, -0.5, 0, 0.5, 1]]);
 * ```
 */
export function statistics(
  graph: Graph,
  globs: string | readonly string[],
  options: StatisticsOptions = {},
): TensorStatistics[] {
  const { of = ["mean", "std", "min", "max"], histogram } = options;
  const columns = columnsOf(of);
  const counted = of.includes("histogram") ? checkHistogram(histogram) : undefined;
  const found = findPoints(graph, ACTION, globs);
  for (const { name, type } of found) refuseType(name, type);
  return found.map((point) => summarize(graph, point, columns, counted));
}

const ACTION = "compute statistics";

/**
 * Returns the statistics that are one number, in the given order. Throws a RangeError if the list is empty, or if a
 * statistic is unknown or repeated.
 */
function columnsOf(of: readonly string[]): ScalarStatistic[] {
  const isKnown = (word: string) => [...SCALARS, "histogram"].includes(word);
  const odd = of.find((word, i) => !isKnown(word) || of.indexOf(word) !== i);
  if (of.length > 0 && odd === undefined) {
    return of.filter((word): word is ScalarStatistic => word !== "histogram");
  }
  throw new RangeError(
    `Cannot ${ACTION}: the statistics must be a non-empty list without repetitions of ${
      SCALARS.join(", ")
    } and ` +
      `histogram; got [${of.join(", ")}]`,
  );
}

function refuseType(name: string, type: ElementType | undefined): void {
  if (type === undefined || !["string", "c64", "c128"].includes(type)) return;
  throw new TypeError(
    `Cannot ${ACTION}: the elements of ${JSON.stringify(name)} must be real numbers or ` +
      `boolean; got ${type}`,
  );
}

function summarize(
  graph: Graph,
  { name, type, shape }: TensorPoint,
  columns: readonly ScalarStatistic[],
  counted: HistogramOptions | undefined,
): TensorStatistics {
  const elements = new Elements(graph, name, shape, type === "f64" ? "f64" : "f32");
  const comeOut = (part: string, op: string, inputs: readonly string[], axis: number) => {
    const attribute: Attributes = op === "Concat" ? { axis: 0 } : { to: codeOf(elements.type) };
    const output = elements.make(part, op, inputs, attribute);
    graph.addOutput(valueInfo(output, elements.type, [axis]));
    return output;
  };
  const numbers = columns.map((column) => elements[column]);
  const output = numbers.length > 0
    ? comeOut("statistics", "Concat", numbers, numbers.length)
    : undefined;
  const counts = counted && elements.histogram(counted.bins, counted.range);
  return {
    tensor: name,
    output,
    columns,
    histogram: counted && comeOut("histogram", "Cast", [counts ?? ""], counted.bins),
    edges: counted === undefined ? [] : edgesOf(counted),
  };
}
