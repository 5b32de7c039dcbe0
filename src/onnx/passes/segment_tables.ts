import { codeOf } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";

/**
 * Tables for sums over the updates of a scatter. The graph computes them from the indices of the scatter, and all
 * scatters with the same indices share them.
 *
 * | symbol | meaning                                              |
 * | ------ | ---------------------------------------------------- |
 * | E      | number of updates                                    |
 * | N      | number of rows of the result which have updates      |
 * | K      | number of updates of a row for which the table has room |
 * | O      | number of updates that are not in the table          |
 */
export interface SegmentTables {
  /** Numbers of the updates of each row, [N, K]; E in elements that have none. */
  readonly updates: string;
  /** Rows of the result, [N, 1], in ascending order. */
  readonly rows: string;
  /** Number of each update that is not in the table, [O]. */
  readonly otherUpdates: string;
  /** Row of the result for each of `otherUpdates`, [O]. */
  readonly otherRows: string;
}

/**
 * Limit of N K / E. If a few rows get most updates, a table without a limit would be large and almost empty. Updates
 * beyond the limit are not in the table.
 */
const MOST_ROOM = 4;

/**
 * Adds nodes that compute the tables of a scatter.
 *
 * @param indices indices of the scatter, [E, 1]
 * @param data tensor that has as many rows as the result
 */
export function addSegmentTables(graph: Graph, indices: string, data: string): SegmentTables {
  const list = (value: number) => graph.constantOf("i64", [value]);
  const firstLength = (name: string) => graph.make("Shape", [name], { start: 0, end: 1 });
  const [zero, one] = [graph.constantOf("i64", 0), graph.constantOf("i64", 1)];
  const rangeTo = (length: string) =>
    graph.make("Range", [zero, graph.make("Squeeze", [length]), one]);
  const updateCount = firstLength(indices), rowCount = firstLength(data);

  // Gather makes negative indices positive, and throws if an index is out of range.
  const flat = graph.make("Reshape", [indices, list(-1)]);
  const rows = graph.make("Gather", [rangeTo(rowCount), flat]);
  const [sorted, order] = [graph.freshName("rows"), graph.freshName("order")];
  graph.add("TopK", [rows, updateCount], { attributes: { largest: 0 }, outputs: [sorted, order] });

  const zeros = graph.make("Expand", [zero, rowCount]);
  const ones = graph.make("Expand", [one, updateCount]);
  const counts = graph.make("ScatterElements", [zeros, rows, ones], { reduction: "add" });
  const isUsed = graph.make("Greater", [counts, zero]);
  const pick = (name: string, condition: string) =>
    graph.make("Compress", [name, condition], { axis: 0 });
  const sumRows = pick(rangeTo(rowCount), isUsed), sumCount = firstLength(sumRows);

  // The row of an update in the table counts the used rows before its own, and the column the updates of the same row
  // before it.
  const before = (name: string) => graph.make("CumSum", [name, zero], { exclusive: 1 });
  const numbers = before(graph.make("Cast", [isUsed], { to: codeOf("i64") }));
  const starts = before(counts);
  const column = graph.make("Sub", [rangeTo(updateCount), graph.make("Gather", [starts, sorted])]);

  // Each Max with 1 keeps zeros away from the division, and empty tensors from the reduction.
  const atLeastOne = (name: string) => graph.make("Max", [name, list(1)]);
  const room = graph.make("Mul", [updateCount, list(MOST_ROOM)]);
  const limit = atLeastOne(graph.make("Div", [room, atLeastOne(sumCount)]));
  const most = graph.make("ReduceMax", [graph.make("Concat", [counts, list(1)], { axis: 0 })]);
  const width = graph.make("Min", [most, limit]);

  const isInside = graph.make("Less", [column, width]), isOther = graph.make("Not", [isInside]);
  const elements = [graph.make("Gather", [numbers, sorted]), column].map((name) =>
    graph.make("Unsqueeze", [pick(name, isInside), list(1)])
  );
  const lengths = graph.make("Concat", [sumCount, width], { axis: 0 });
  return {
    updates: graph.make("ScatterND", [
      graph.make("Expand", [updateCount, lengths]),
      graph.make("Concat", elements, { axis: 1 }),
      pick(order, isInside),
    ]),
    rows: graph.make("Unsqueeze", [sumRows, list(1)]),
    otherUpdates: pick(order, isOther),
    otherRows: pick(sorted, isOther),
  };
}
