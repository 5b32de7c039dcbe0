/**
 * Conversion of virials to stresses.
 *
 * @module
 */

import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";

/**
 * Adds nodes that compute the stresses σ = −W / V, eV/Å³, from virials W, [B, 3, 3], eV, and the volumes V of cells.
 * The result for a system without a cell is finite, but meaningless.
 */
export function perVolume(
  graph: GraphBuilder,
  virial: Value<"f32">,
  cells: Value<"f32">,
): Value<"f32"> {
  const volume = volumesOf(graph, cells);
  // The stress of a system without a cell has the weight 0, so any volume except 0 will do.
  const isNone = graph.op("Equal", [volume, graph.constant("f32", [0])], "bool");
  const safe = graph.op("Where", [isNone, graph.constant("f32", [1]), volume], "f32");
  const divisor = graph.reshape(safe, graph.constant("i64", [-1, 1, 1]));
  return graph.op("Neg", [graph.div(virial, divisor)], "f32");
}

/** Adds nodes that compute the volume of each cell, |det|, Å³. */
function volumesOf(graph: GraphBuilder, cells: Value<"f32">): Value<"f32"> {
  const at = (row: number, column: number) =>
    graph.gather(
      graph.gather(cells, graph.constant("i64", row), 1),
      graph.constant("i64", column),
      1,
    );
  const minor = (j: number, k: number) =>
    graph.sub(graph.mul(at(1, j), at(2, k)), graph.mul(at(1, k), at(2, j)));
  const [x, y, z] = [minor(1, 2), minor(2, 0), minor(0, 1)];
  const sum = graph.add(
    graph.add(graph.mul(at(0, 0), x), graph.mul(at(0, 1), y)),
    graph.mul(at(0, 2), z),
  );
  return graph.op("Abs", [sum], "f32");
}
