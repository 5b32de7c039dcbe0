import type { NodeProto } from "../../codec/messages.ts";
import type { Graph } from "../../graph/graph.ts";
import type { KnownShape } from "../../infer/fact.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";

/**
 * Minimum number of elements per row of an outer product. Smaller outer products cost less than a product of
 * matrices.
 */
const LEAST = 128;

/**
 * Writes (a ⊗ b) · C as a · (b · C), where a has many vectors per row, b has one, and C is the same for all rows. Tensor
 * products of equivariant potentials have this form: a are the features of an edge in many channels, b its spherical
 * harmonics, C the Clebsch-Gordan coefficients. The outer product of all channels, which is the largest value of such a
 * layer, is then never computed.
 *
 * The pass recognizes MatMul(Reshape(Mul(a, b)), C) with a of the shape [N, …, i, 1] and b of [N, 1, …, 1, j], or the
 * reverse order of the last two axes; there may be more axes of length 1. All lengths but N must be known, and nothing
 * else may use the outer product. Values change only by rounding. If the pass runs before {@linkcode gradient}, the
 * backward pass becomes cheaper, too.
 *
 * @returns number of products that were rewritten
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { contractSmallFirst, decodeModel, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("tensor product");
 * const a = builder.input("a", "f32", ["N", 64, 3, 1]), b = builder.input("b", "f32", ["N", 1, 1, 5]);
 * const c = builder.input("c", "f32", [15, 7]);
 * const outer = builder.reshape(builder.mul(a, b), builder.constant("i64", [-1, 15]));
 * builder.output("y", builder.op("MatMul", [outer, c], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(contractSmallFirst(graph), 1);
 * graph.prune();
 * assertEquals(graph.nodes.some(({ opType }) => opType === "Mul"), false);
 * ```
 */
export function contractSmallFirst(graph: Graph): number {
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    if (node.opType !== "Mul" || node.domain !== "") continue;
    const sums = sumsOver(graph, facts, node.output[0] ?? "");
    const outer = sums && outerProduct(facts, node, sums);
    if (sums === undefined || outer === undefined) continue;
    for (const sum of sums) graph.replaceNode(sum, contracted(graph, facts, sum, outer));
    count += sums.length;
  }
  return count;
}

/** Returns the matrix products that use a value after a Reshape; `undefined` if the value has other uses. */
function sumsOver(
  graph: Graph,
  facts: GraphFacts,
  name: string,
): readonly NodeProto[] | undefined {
  const isMatMul = ({ opType, domain, input }: NodeProto, matrix: string) =>
    opType === "MatMul" && domain === "" && input[0] === matrix && input[1] !== matrix;
  const sums: NodeProto[] = [];
  if (graph.isOutput(name)) return undefined;
  for (const { node, index } of graph.uses(name)) {
    const matrix = node.output[0] ?? "";
    const isMatrix = node.opType === "Reshape" && index === 0 && !graph.isOutput(matrix) &&
      facts.of(matrix).shape?.length === 2;
    const uses = graph.uses(matrix);
    if (!isMatrix || !uses.every((use) => use.index === 0 && isMatMul(use.node, matrix))) {
      return undefined;
    }
    sums.push(...uses.map((use) => use.node));
  }
  return sums.length === 0 ? undefined : sums;
}

/** An outer product per row, of many vectors with one vector. */
interface OuterProduct {
  /** Name of the value with many vectors per row. */
  readonly many: string;
  /** Number of vectors per row of `many`. */
  readonly count: number;
  /** Length of the vectors of `many`. */
  readonly length: number;
  /** Name of the value with one vector per row. */
  readonly one: string;
  /** Length of the vectors of `one`. */
  readonly oneLength: number;
  /** True if the elements of a vector of `one` are adjacent in the product. */
  readonly isOneLast: boolean;
}

/**
 * Returns the outer product that a Mul computes; `undefined` for other products, or if a sum does not run over both
 * vectors.
 */
function outerProduct(
  facts: GraphFacts,
  { input: [a = "", b = ""], output: [product = ""] }: NodeProto,
  sums: readonly NodeProto[],
): OuterProduct | undefined {
  const { shape } = facts.of(product);
  const matrices = sums.map(({ input: [, matrix = ""] }) => facts.of(matrix).shape);
  const summed = matrices[0]?.[0];
  const areMatrices = matrices.every((each) =>
    each?.length === 2 && each[0] === summed && isLength(each[1])
  );
  if (shape === undefined || !areMatrices || !isLength(summed)) return undefined;
  return vectorsOf(facts, [a, b], shape, summed) ?? vectorsOf(facts, [b, a], shape, summed);
}

/**
 * Returns the outer product of two values, of which the first has many vectors per row and the second one;
 * `undefined` if they have other shapes.
 */
function vectorsOf(
  facts: GraphFacts,
  [many, one]: readonly [string, string],
  shape: KnownShape,
  summed: number,
): OuterProduct | undefined {
  const [rows, ...lengths] = shape, areKnown = lengths.every(isLength);
  const [manyRows, ...own] = facts.of(many).shape ?? [];
  const [oneRows, ...other] = facts.of(one).shape ?? [];
  const isAligned = own.length === lengths.length && other.length === lengths.length;
  if (!areKnown || !isAligned || rows === 1 || manyRows !== rows || oneRows !== rows) {
    return undefined;
  }
  let from = lengths.length, joined = 1;
  while (joined < summed && from > 0) joined *= lengths[--from]!;
  const count = productOf(lengths.slice(0, from));
  if (joined !== summed || other.slice(0, from).some((length) => length !== 1)) return undefined;
  if (count * summed < LEAST || productOf(own.slice(0, from)) !== count) return undefined;
  const [first, second, ...more] = lengths.flatMap((length, axis) =>
    axis < from || length === 1 ? [] : [axis]
  );
  if (first === undefined || second === undefined || more.length > 0) return undefined;
  const isOneLast = other[second] === lengths[second];
  const [its, mine] = isOneLast ? [second, first] : [first, second];
  if (other[mine] !== 1 || own[its] !== 1 || other[its] !== lengths[its]) return undefined;
  return { many, count, length: lengths[mine]!, one, oneLength: lengths[its]!, isOneLast };
}

function isLength(length: KnownShape[number] | undefined): length is number {
  return typeof length === "number" && length > 0;
}

function productOf(lengths: readonly KnownShape[number][]): number {
  return lengths.reduce<number>((product, length) => product * Number(length), 1);
}

/**
 * Adds the nodes that multiply an outer product by a matrix without computing the outer product, and returns the last
 * node.
 */
function contracted(
  graph: Graph,
  facts: GraphFacts,
  { input: [, matrix = ""] }: NodeProto,
  { many, count, length, one, oneLength, isOneLast }: OuterProduct,
): NodeProto {
  const columns = Number(facts.of(matrix).shape![1]);
  // Reshape copies the old length in place of a 0.
  const shaped = (name: string, lengths: readonly number[]) =>
    graph.make("Reshape", [name, graph.constantOf("i64", lengths)]);
  const turned = isOneLast
    ? graph.make("Transpose", [shaped(matrix, [length, oneLength, columns])], { perm: [1, 0, 2] })
    : matrix;
  const flat = shaped(turned, [oneLength, length * columns]);
  const small = graph.make("MatMul", [shaped(one, [0, oneLength]), flat]);
  const each = graph.make("MatMul", [
    shaped(many, [0, count, length]),
    shaped(small, [0, length, columns]),
  ]);
  return graph.add("Reshape", [each, graph.constantOf("i64", [-1, columns])]);
}
