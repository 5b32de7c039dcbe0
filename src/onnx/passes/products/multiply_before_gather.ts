import { floatAttribute, intAttribute } from "../../codec/attributes.ts";
import { isFloat } from "../../codec/element_type.ts";
import type { NodeProto } from "../../codec/messages.ts";
import type { Graph } from "../../graph/graph.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";
import { hasSubgraphs } from "../../graph/subgraphs.ts";
import { addLike } from "../rows/region.ts";

/**
 * Multiplies rows by weights before they are gathered. Networks for pairs and triplets of atoms often begin with a matrix
 * product of gathered rows, so each atom is multiplied once per neighbor. The pass multiplies each atom once, and gathers
 * the products: gather(x) · W becomes gather(x · W). If the gathered rows are parts of a Concat, the weights are split
 * accordingly, and the products of the parts are added.
 *
 * Only products with constants are changed, and only if the indices come from inputs of the model. Indices that are
 * computed from values, for example by NonZero, usually select fewer rows than there are. Values change only by rounding.
 *
 * Run it before {@linkcode gradient}, so that gradients follow. The pass is for the processor, where time follows the
 * amount of work: it adds nodes, which cost more on WebGPU if a system is small.
 *
 * @returns number of products that were rewritten
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, multiplyBeforeGather } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("messages");
 * const x = builder.input("x", "f32", ["N", 16]), senders = builder.input("senders", "i64", ["E"]);
 * const weights = builder.constant("f32", new Array(16 * 8).fill(0.5), [16, 8]);
 * const gathered = builder.op("Gather", [x, senders], "f32", { axis: 0 });
 * builder.output("y", builder.op("MatMul", [gathered, weights], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(multiplyBeforeGather(graph), 1);
 * graph.prune();
 * assertEquals(graph.sort().map(({ opType }) => opType), ["MatMul", "Gather"]);
 * ```
 */
export function multiplyBeforeGather(graph: Graph): number {
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    const product = productOf(graph, facts, node);
    if (product === undefined) continue;
    const parts = partsOf(graph, facts, product);
    if (parts === undefined || !parts.some(({ gather }) => gather !== undefined)) continue;
    graph.replaceNode(node, sumOfParts(graph, facts, product, parts));
    count++;
  }
  return count;
}

/**
 * Smallest number of columns of gathered rows. Products of fewer columns cost less than gathering and adding the
 * products.
 */
const FEWEST_COLUMNS = 16;
/** Largest number of rows of a constant table, which is multiplied as a whole when a runtime opens the model. */
const MOST_CONSTANT_ROWS = 1024;

/** A product of rows [E, K] and weights. */
interface Product {
  readonly rows: string;
  readonly columns: number;
  readonly weights: string;
  /** True if the weights are [out, K] instead of [K, out]. */
  readonly isTurned: boolean;
  readonly bias: string | undefined;
}

/** Returns the product that a node computes; `undefined` for other nodes. */
function productOf(graph: Graph, facts: GraphFacts, node: NodeProto): Product | undefined {
  const { opType, domain, input: [rows = "", weights = "", bias = ""] } = node;
  if (domain !== "" || (opType !== "Gemm" && opType !== "MatMul")) return undefined;
  const isScaled = floatAttribute(node, "alpha", 1) !== 1 || floatAttribute(node, "beta", 1) !== 1;
  if (isScaled || intAttribute(node, "transA", 0) !== 0) return undefined;
  const { type, shape } = facts.of(rows), columns = shape?.[1];
  const isMatrix = shape?.length === 2 && facts.of(weights).shape?.length === 2;
  if (!isMatrix || typeof columns !== "number" || graph.constant(weights) === undefined) {
    return undefined;
  }
  if (type === undefined || !isFloat(type)) return undefined;
  const isTurned = intAttribute(node, "transB", 0) !== 0;
  return { rows, columns, weights, isTurned, bias: bias === "" ? undefined : bias };
}

/** A part of the columns of the rows of a product. */
interface Part {
  /** Values that contain the columns, one after another. */
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number;
  /** The node that gathers the part; `undefined` if it is multiplied as it is. */
  readonly gather: NodeProto | undefined;
}

/**
 * Returns the parts of the rows of a product; `undefined` if their widths are unknown. Parts side by side that are not
 * gathered form one part.
 */
function partsOf(graph: Graph, facts: GraphFacts, { rows }: Product): Part[] | undefined {
  const concat = graph.producer(rows), parts: Part[] = [];
  const isJoined = concat?.opType === "Concat" && concat.domain === "" &&
    [1, -1].includes(intAttribute(concat, "axis", 0));
  for (const name of isJoined ? concat.input : [rows]) {
    const width = facts.of(name).shape?.[1], gather = gatherOf(graph, facts, name);
    if (typeof width !== "number") return undefined;
    const last = parts.at(-1), from = last?.to ?? 0, to = from + width;
    if (last === undefined || last.gather !== undefined || gather !== undefined) {
      parts.push({ names: [name], from, to, gather });
    } else parts[parts.length - 1] = { ...last, names: [...last.names, name], to };
  }
  return parts;
}

/** Returns the node that gathers rows of a smaller table; `undefined` if there is none. */
function gatherOf(graph: Graph, facts: GraphFacts, name: string): NodeProto | undefined {
  const node = graph.producer(name), [data = "", indices = ""] = node?.input ?? [];
  if (node?.domain !== "") return undefined;
  const [from, places, to] = [data, indices, name].map((each) => facts.of(each).shape);
  if (from?.length !== 2 || from[0] === to?.[0]) return undefined;
  if (typeof from[1] !== "number" || from[1] < FEWEST_COLUMNS) return undefined;
  const isTable = graph.constant(data) !== undefined;
  if (isTable && !(typeof from[0] === "number" && from[0] <= MOST_CONSTANT_ROWS)) return undefined;
  const isRows = node.opType === "Gather"
    ? places?.length === 1 && intAttribute(node, "axis", 0) === 0
    : node.opType === "GatherND" && places?.length === 2 && places[1] === 1 &&
      intAttribute(node, "batch_dims", 0) === 0;
  return isRows && isInputList(graph, indices) ? node : undefined;
}

/** Operators whose result depends on values, so that it may select a few rows. */
const SELECTING = [
  "NonZero",
  "Compress",
  "TopK",
  "Unique",
  "ArgMax",
  "ArgMin",
  "NonMaxSuppression",
];

/** Returns whether integers come from inputs and constants, and not from operators that select rows. */
function isInputList(graph: Graph, name: string): boolean {
  const waiting = [name], seen = new Set(waiting);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = graph.producer(next);
    if (node === undefined || node.opType === "Shape") continue;
    if (SELECTING.includes(node.opType) || hasSubgraphs(node)) return false;
    for (const input of node.input) {
      if (input !== "" && !seen.has(input)) waiting.push(input);
      seen.add(input);
    }
  }
  return true;
}

/** Adds the products of all parts, and returns the node that computes their sum. */
function sumOfParts(
  graph: Graph,
  facts: GraphFacts,
  product: Product,
  parts: readonly Part[],
): NodeProto {
  const { bias } = product, biasShape = bias === undefined ? undefined : facts.of(bias).shape;
  // A bias of one row is added before the rows are gathered.
  const isRow = biasShape?.length === 1 || biasShape?.length === 2 && biasShape[0] === 1;
  let early = isRow ? bias : undefined;
  let sum = isRow ? undefined : bias, node: NodeProto | undefined;
  for (const { gather, from, to } of parts.filter((part) => part.gather !== undefined)) {
    const [data = "", indices = ""] = gather!.input;
    const own = multiplied(graph, product, { rows: data, from, to, addend: early });
    early = undefined;
    node = graph.producer(addLike(graph, gather!, [own.output[0]!, indices]))!;
    if (sum !== undefined) node = graph.add("Add", [node.output[0]!, sum]);
    sum = node.output[0]!;
  }
  for (const { names, from, to } of parts.filter((part) => part.gather === undefined)) {
    const rows = names.length === 1 ? names[0]! : graph.make("Concat", names, { axis: 1 });
    node = multiplied(graph, product, { rows, from, to, addend: sum });
    sum = node.output[0]!;
  }
  return node!;
}

/** Rows that are multiplied by the rows `from` to `to` of the weights, and what is added to the product. */
interface Summand {
  readonly rows: string;
  readonly from: number;
  readonly to: number;
  readonly addend: string | undefined;
}

/** Adds the node that multiplies the columns of a part. */
function multiplied(
  graph: Graph,
  { weights, columns, isTurned }: Product,
  { rows, from, to, addend }: Summand,
): NodeProto {
  const bounds = (): string[] =>
    [from, to, isTurned ? 1 : 0].map((each) => graph.constantOf("i64", [each]));
  const isAll = from === 0 && to === columns;
  const own = isAll ? weights : graph.make("Slice", [weights, ...bounds()]);
  if (addend === undefined && !isTurned) return graph.add("MatMul", [rows, own]);
  const inputs = addend === undefined ? [rows, own] : [rows, own, addend];
  return graph.add("Gemm", inputs, { attributes: isTurned ? { transB: 1 } : {} });
}
