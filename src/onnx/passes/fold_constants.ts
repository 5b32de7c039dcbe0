import { bytesOf } from "../codec/element_type.ts";
import { evaluateNode } from "../evaluate/evaluate_node.ts";
import { plainOf, type PlainTensor, plainTensor } from "../evaluate/plain_tensor.ts";
import type { Graph } from "../graph/graph.ts";
import { numbersOf } from "../infer/fact.ts";
import type { GraphFacts } from "../infer/facts.ts";
import { factsOf } from "../infer/shared_facts.ts";
import type { NodeProto, TensorProto } from "../codec/messages.ts";
import { subgraphsOf } from "../graph/subgraphs.ts";
import { elementCount, hasArray, isExternal, tensorType } from "../codec/tensor_proto.ts";
import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";
import { constantTensor, isExact } from "./constant_tensor.ts";
import { dependents } from "./fed_values.ts";
import type { PassOptions } from "./pass.ts";
import { movedTensor } from "./moved_tensor.ts";
import { isRandom } from "./random.ts";
import { isReplaceable, replaceOutputs } from "./replace_value.ts";

/** Options of {@linkcode foldConstants}. */
export interface FoldConstantsOptions extends PassOptions {
  /**
   * Maximum growth of the file per node in bytes: the size of the result minus that of the constants that only this
   * node uses. Without a limit, weights that are used in two forms would double the file; runtimes fold them anyway
   * when they open it.
   *
   * @default 65_536
   */
  readonly maxBytes?: number;
}

/**
 * Replaces nodes by constants if their inputs are constants, or if they compute a shape that follows from declared
 * shapes. Values are computed in double precision and rounded to their type.
 *
 * Nodes are kept if they depend on parameters or random numbers, if their results are outputs, have subgraphs, or
 * have integers above 2⁵³, or if {@linkcode openEvaluator} does not support the operator. Constants that are no
 * longer used are removed by {@linkcode Graph.prune}.
 *
 * @returns number of nodes that became constants
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, foldConstants, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("folded");
 * const x = builder.input("x", "f32", ["N"]);
 * const two = builder.op("Sqrt", [builder.constant("f32", 4)], "f32");
 * builder.output("y", builder.mul(x, two));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(foldConstants(graph), 1);
 * assertEquals(graph.nodes.map(({ opType }) => opType), ["Mul"]);
 * ```
 */
export function foldConstants(graph: Graph, options: FoldConstantsOptions = {}): number {
  const { maxBytes = 65_536, parameters = [] } = options;
  const changing = dependents(graph, parameters);
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    if (node.opType === "Constant" || isRandom(node) || !isReplaceable(graph, node)) continue;
    if (subgraphsOf(node).length > 0 || node.output.some((name) => changing.has(name))) continue;
    const tensors = ofFacts(facts, node) ?? evaluated(graph, facts, node, maxBytes);
    const isWhole = tensors?.every((tensor, i) => tensor !== undefined || node.output[i] === "");
    if (tensors === undefined || isWhole !== true) continue;
    const names = node.output.map((name, i) => {
      const tensor = tensors[i];
      if (name === "" || tensor === undefined) return "";
      tensor.name = graph.freshName(`${name}_folded`);
      return graph.addConstant(tensor);
    });
    replaceOutputs(graph, node, names);
    count++;
  }
  return count;
}

type Made = readonly (TensorProto | undefined)[];

function tensorsOf(made: readonly PlainTensor[], { output }: NodeProto): Made {
  return made.map((plain, i) => plain && constantTensor(plain, output[i] ?? ""));
}

/**
 * Returns the output of a node as a constant if inference knows its values; otherwise `undefined`. The inputs need
 * not be constants.
 */
function ofFacts(facts: GraphFacts, node: NodeProto): Made | undefined {
  const [name = "", ...more] = node.output;
  if (more.length > 0 || name === "") return undefined;
  const fact = facts.of(name), numbers = numbersOf(fact);
  if (numbers === undefined || fact.type === undefined) return undefined;
  const lengths = fact.shape?.length === 0 ? [] : [numbers.length];
  return tensorsOf([plainTensor(fact.type, lengths, numbers)], node);
}

/**
 * Evaluates a node whose inputs are constants, and returns its outputs; `undefined` if an input is not a constant, or
 * if the results are too large.
 */
function evaluated(
  graph: Graph,
  facts: GraphFacts,
  node: NodeProto,
  maxBytes: number,
): Made | undefined {
  const isConstant = (name: string) => name === "" || graph.constant(name) !== undefined;
  if (!node.input.every(isConstant)) return undefined;
  const named = node.input.filter((name) => name !== "");
  const tensors = named.map((name) => graph.constant(name));
  if (named.length === 0 || !tensors.every((tensor) => tensor !== undefined)) return undefined;
  if (!tensors.every(isReadable)) return undefined;
  // Inputs that only this node uses are removed with it, so subtract their size from that of the result.
  const saved = tensors.reduce(
    (sum, tensor, i) => sum + (graph.uses(named[i]!).length > 1 ? 0 : sizeOf(tensor)),
    0,
  );
  const isTooMuch = (bytes: number) => bytes - saved > maxBytes;
  if (isTooMuch(sizeByFacts(facts, node))) return undefined;
  const moved = movedOf(facts, node, tensors[0]!);
  if (moved !== undefined) return [moved];
  return computed(graph, node, isTooMuch);
}

/**
 * Returns the outputs of a node whose inputs are constants; `undefined` if the evaluator cannot compute them, or if
 * `isTooMuch` returns true for their size.
 */
function computed(
  graph: Graph,
  node: NodeProto,
  isTooMuch: (bytes: number) => boolean,
): Made | undefined {
  const inputs = node.input.map((name) => {
    const tensor = graph.constant(name);
    return tensor && plainOf(tensor);
  });
  // Slices use the largest int64 for the end of an axis, which need not be exact as a double.
  if (node.opType !== "Slice" && inputs.some((input) => input && !isExact(input))) return undefined;
  try {
    const made = evaluateNode(node, inputs, { opset: graph.opset });
    const bytes = made.reduce((sum, { type, data }) => sum + bytesOf(type, data.length), 0);
    return isTooMuch(bytes) ? undefined : tensorsOf(made, node);
  } catch (error) {
    if (error instanceof UnsupportedNodeError) return undefined;
    // An invalid node is not an error of this pass. The runtime will report it.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Evaluates a node that only moves the elements of its first input. Returns `undefined` for other nodes, or if the
 * shape of the result is unknown.
 */
function movedOf(
  facts: GraphFacts,
  node: NodeProto,
  tensor: TensorProto,
): TensorProto | undefined {
  const lengths = facts.of(node.output[0] ?? "").shape?.filter((each) => typeof each === "number");
  const isKnown = lengths?.length === facts.of(node.output[0] ?? "").shape?.length;
  return lengths !== undefined && isKnown ? movedTensor(node, tensor, lengths) : undefined;
}

function isReadable(tensor: TensorProto): boolean {
  return !isExternal(tensor) && hasArray(tensorType(tensor));
}

function sizeOf(tensor: TensorProto): number {
  return bytesOf(tensorType(tensor), elementCount(tensor));
}

/** Returns the size of a node's results in bytes. Results whose shape is unknown count as 0. */
function sizeByFacts(facts: GraphFacts, { output }: NodeProto): number {
  let bytes = 0;
  for (const name of output) {
    const { type, shape } = facts.of(name);
    if (type === undefined || shape === undefined) continue;
    const count = shape.reduce<number>((p, n) => p * (typeof n === "number" ? n : 0), 1);
    bytes += bytesOf(type, count);
  }
  return bytes;
}
