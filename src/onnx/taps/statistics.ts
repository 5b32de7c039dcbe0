import type { Attributes } from "../codec/attributes.ts";
import { codeOf, type ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { valueInfo } from "../codec/value_info.ts";
import { checkHistogram, edgesOf, type HistogramOptions } from "./histogram.ts";
import { Elements } from "./elements.ts";
import { findPoints, type Point } from "./points.ts";

/** A statistic that is one number for a tensor. */
export type ScalarStatistic = "mean" | "std" | "min" | "max" | "norm" | "nonFinite";

/** Something about a tensor's elements. */
export type Statistic = ScalarStatistic | "histogram";

const SCALARS: readonly ScalarStatistic[] = ["mean", "std", "min", "max", "norm", "nonFinite"];

/** Which statistics of tensors to compute. */
export interface StatisticsOptions {
  /**
   * Which, in the order of the columns.
   *
   * @default ["mean", "std", "min", "max"]
   */
  readonly of?: readonly Statistic[];
  /** How to count; needed where `of` has `"histogram"`. */
  readonly histogram?: HistogramOptions;
}

/** Where the statistics of a tensor come out. */
export interface TensorStatistics {
  /** The tensor. */
  readonly tensor: string;
  /** The output with all that are one number: [columns]; `undefined` where there are none. */
  readonly output: string | undefined;
  /** What the numbers in it are. */
  readonly columns: readonly ScalarStatistic[];
  /** The output with the counts: [bins]; `undefined` where none was wanted. */
  readonly histogram: string | undefined;
  /** The ends of the bins, one more than there are bins; empty where none was wanted. */
  readonly edges: readonly number[];
}

/**
 * Computes statistics of tensors in the graph, so that a few numbers travel and not the tensors. Each tensor gets one
 * output more, and one for its histogram; the nodes of the graph stay as they are.
 *
 * | column | is | of no elements |
 * |---|---|---|
 * | `mean` | the mean | NaN |
 * | `std` | the standard deviation of a population (divided by n, not n − 1), by two passes | NaN |
 * | `min`, `max` | the least and the largest | +∞, −∞ |
 * | `norm` | the root of the sum of squares | 0 |
 * | `nonFinite` | how many are NaN or infinite | 0 |
 *
 * One NaN makes all but the last one NaN. A histogram counts NaN nowhere, and in its outer bins all that is beyond
 * the range, infinities too; next to an edge rounding decides.
 *
 * The outputs are float32, float64 for a tensor of float64. Everything else is cast to float32 first: whole numbers
 * beyond 2²⁴ are rounded, `true` is 1. Squares are as large as float32 goes: elements beyond 10¹⁹ have an infinite
 * norm. WGSL lets a GPU assume that nothing is NaN or infinite; where one does, what is said of them here need not hold.
 *
 * @param globs names or patterns, as {@linkcode points} takes them
 * @returns for each tensor where its statistics come out
 * @throws {RangeError} when a pattern matches nothing, for an unknown statistic, and for a histogram without bins or
 * with a range that makes no sense
 * @throws {TypeError} for the name of a sequence, and for tensors of text or complex numbers
 * @throws {UnsupportedNodeError} for a name inside of a node's graph
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

/** Throws a RangeError for a word that is no statistic, one that is there twice, or none at all. */
function columnsOf(of: readonly string[]): ScalarStatistic[] {
  const isKnown = (word: string) => [...SCALARS, "histogram"].includes(word);
  const odd = of.find((word, i) => !isKnown(word) || of.indexOf(word) !== i);
  if (of.length > 0 && odd === undefined) {
    return of.filter((word): word is ScalarStatistic => word !== "histogram");
  }
  throw new RangeError(
    `Cannot ${ACTION} as each of them must be there once, out of ${SCALARS.join(", ")} and ` +
      `histogram: current value is [${of.join(", ")}]`,
  );
}

function refuseType(name: string, type: ElementType | undefined): void {
  if (type === undefined || !["string", "c64", "c128"].includes(type)) return;
  throw new TypeError(
    `Cannot ${ACTION} as the elements of ${JSON.stringify(name)} must be real numbers or ` +
      `boolean: current type is ${type}`,
  );
}

function summarize(
  graph: Graph,
  { name, type, shape }: Point,
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
