import { bytesOf } from "../codec/element_type.ts";
import { evaluateNode } from "../evaluate/evaluate_node.ts";
import { plainOf, type PlainTensor, plainTensor } from "../evaluate/plain_tensor.ts";
import type { Graph } from "../graph/graph.ts";
import { numbersOf } from "../infer/fact.ts";
import { Facts } from "../infer/facts.ts";
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

/** How far to fold. */
export interface FoldConstantsOptions extends PassOptions {
  /**
   * How many bytes the file may grow by for one node: what it makes, without constants that nothing else uses. Weights
   * that are used both ways would double the file; runtimes fold them by themselves when they open it.
   *
   * @default 65_536
   */
  readonly maxBytes?: number;
}

/**
 * Computes what is always the same once and for all: nodes of constants become constants, and so do shapes whose
 * numbers follow from what the file says. Computed in double precision, then rounded to its type.
 *
 * Left as they are: what is made of parameters, what comes out of the graph, what depends on chance, nodes with graphs inside, operators that
 * {@linkcode openEvaluator} does not know, whole numbers beyond 2⁵³. The constants that are no longer used go with
 * {@linkcode Graph.prune}.
 *
 * @returns how many nodes became constants
 * @throws {SyntaxError} when the file says other types or shapes than follow from the operators
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
  const facts = new Facts(graph);
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

/** The whole numbers of a shape, where what it is made of need not be constant for them to be known. */
function ofFacts(facts: Facts, node: NodeProto): Made | undefined {
  const [name = "", ...more] = node.output;
  if (more.length > 0 || name === "") return undefined;
  const fact = facts.of(name), numbers = numbersOf(fact);
  if (numbers === undefined || fact.type === undefined) return undefined;
  const lengths = fact.shape?.length === 0 ? [] : [numbers.length];
  return tensorsOf([plainTensor(fact.type, lengths, numbers)], node);
}

/** What a node makes of constants; `undefined` where it has other inputs, or makes too much. */
function evaluated(
  graph: Graph,
  facts: Facts,
  node: NodeProto,
  maxBytes: number,
): Made | undefined {
  const isConstant = (name: string) => name === "" || graph.constant(name) !== undefined;
  if (!node.input.every(isConstant)) return undefined;
  const named = node.input.filter((name) => name !== "");
  const tensors = named.map((name) => graph.constant(name));
  if (named.length === 0 || !tensors.every((tensor) => tensor !== undefined)) return undefined;
  if (!tensors.every(isReadable)) return undefined;
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

/** Returns the outputs of a node whose inputs are constants; `undefined` if they cannot be computed, or are too large. */
function computed(
  graph: Graph,
  node: NodeProto,
  isTooMuch: (bytes: number) => boolean,
): Made | undefined {
  const inputs = node.input.map((name) => {
    const tensor = graph.constant(name);
    return tensor && plainOf(tensor);
  });
  // Slices go to the greatest number that there is, and mean the end.
  if (node.opType !== "Slice" && inputs.some((input) => input && !isExact(input))) return undefined;
  try {
    const made = evaluateNode(node, inputs, { opset: graph.opset });
    const bytes = made.reduce((sum, { type, data }) => sum + bytesOf(type, data.length), 0);
    return isTooMuch(bytes) ? undefined : tensorsOf(made, node);
  } catch (error) {
    if (error instanceof UnsupportedNodeError) return undefined;
    // The runtime explains errors that every runtime has.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What only moves the elements of its first input, where the shape of what it makes is known. */
function movedOf(
  facts: Facts,
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

/** Bytes of what a node makes, as far as is known before. */
function sizeByFacts(facts: Facts, { output }: NodeProto): number {
  let bytes = 0;
  for (const name of output) {
    const { type, shape } = facts.of(name);
    if (type === undefined || shape === undefined) continue;
    const count = shape.reduce<number>((p, n) => p * (typeof n === "number" ? n : 0), 1);
    bytes += bytesOf(type, count);
  }
  return bytes;
}
