import type { Graph } from "../../graph/graph.ts";
import type { KnownShape } from "../../infer/fact.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";
import type { KnownLength } from "../../infer/length.ts";

/** Maximum length of an axis along which a product of matrices repeats. From there on, broadcasting costs as much. */
const MOST = 16;
/** Maximum number of repetitions of a row. */
const MOST_ROWS = 128;

/**
 * Repeats factors along short axes before they are multiplied: x · s, where s has length 1 along the last axis of 2 to 16
 * numbers of x, becomes x · (s · [1, 1, …]), with a product of matrices inside. Rows of 2 to 16 numbers that are repeated
 * along the axis before the last one become products with a matrix of zeros and ones. onnxruntime multiplies such short
 * rows one after another, which takes three to ten times as long as both products. Potentials scale vectors of 3 or 5
 * numbers by a weight per channel in this way, and multiply radial by angular functions.
 *
 * Values do not change, except for the sign of zeros, and except that a repeated number that is not finite makes all
 * repeated numbers of its row NaN. The pass is for the processor: on WebGPU, broadcasting costs nothing.
 *
 * @returns number of factors that are repeated
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, repeatShortAxes } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("scaled");
 * const vectors = builder.input("vectors", "f32", ["E", 64, 3]);
 * const weights = builder.input("weights", "f32", ["E", 64, 1]);
 * builder.output("y", builder.mul(vectors, weights));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(repeatShortAxes(graph), 1);
 * assertEquals(graph.sort().map(({ opType }) => opType), ["MatMul", "Mul"]);
 * ```
 */
export function repeatShortAxes(graph: Graph): number {
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    const { type, shape } = facts.of(node.output[0] ?? "");
    if (node.opType !== "Mul" || node.domain !== "" || shape === undefined) continue;
    if (type !== "f32" && type !== "f64") continue;
    for (const [index, factor] of node.input.entries()) {
      const made = repeated({ graph, facts, type }, factor, shape);
      if (made === undefined) continue;
      graph.setInput(node, index, made);
      count++;
    }
  }
  return count;
}

/** Adds the nodes that repeat a factor to a shape; `undefined` if its multiplication is fast, or not understood. */
function repeated(
  setting: Setting,
  factor: string,
  shape: KnownShape,
): string | undefined {
  const { graph, facts } = setting, own = facts.of(factor).shape;
  const [rows, length] = [shape.at(-2), shape.at(-1)];
  if (own?.length !== shape.length || !isShort(length)) return undefined;
  const at = shape.findIndex((each, axis) => each !== own[axis]);
  // A single row is not worth a product of matrices.
  if (at === -1 || own[at] !== 1 || own.every((each) => each === 1)) return undefined;
  if (at === shape.length - 1) {
    if (isShort(rows) && shape.length > 2) return spread(setting, factor, [rows, length], "rows");
    const ones = graph.constantOf(setting.type, Array<number>(length).fill(1), [1, length]);
    return graph.make("MatMul", [factor, ones]);
  }
  const isRow = at === shape.length - 2 && own.at(-1) === length && at > 0 &&
    own.slice(0, at).some((each) => each !== 1);
  if (!isRow || typeof rows !== "number" || rows > MOST_ROWS) return undefined;
  return spread(setting, factor, [rows, length], "columns");
}

/** A graph with its facts, and the type of a product. */
interface Setting {
  readonly graph: Graph;
  readonly facts: GraphFacts;
  readonly type: "f32" | "f64";
}

/**
 * Adds a product with a matrix of zeros and ones that repeats [… , rows, 1] along the columns, or [… , 1, columns] along
 * the rows, and returns the name of the result.
 */
function spread(
  { graph, facts, type }: Setting,
  factor: string,
  [rows, columns]: readonly [number, number],
  given: "rows" | "columns",
): string {
  const size = rows * columns, count = given === "rows" ? rows : columns;
  const from = (place: number) => given === "rows" ? Math.floor(place / columns) : place % columns;
  const ones = Array.from(
    { length: count * size },
    (_, i) => from(i % size) === Math.floor(i / size) ? 1 : 0,
  );
  const gone = graph.constantOf("i64", [given === "rows" ? -1 : -2]);
  const flat = graph.make("MatMul", [
    graph.make("Squeeze", [factor, gone]),
    graph.constantOf(type, ones, [count, size]),
  ]);
  const lead = facts.of(factor).shape!.length - 2;
  // A length of 0 stands for the length of the input.
  const lengths = graph.constantOf("i64", [...Array<number>(lead).fill(0), rows, columns]);
  return graph.make("Reshape", [flat, lengths]);
}

function isShort(length: KnownLength | undefined): length is number {
  return typeof length === "number" && length >= 2 && length <= MOST;
}
