import { attributeOf, intAttribute, intsAttribute } from "../codec/attributes.ts";
import { elementTypeOf } from "../codec/element_type.ts";
import { plainOf } from "../evaluate/plain_tensor.ts";
import type { Graph } from "../graph/graph.ts";
import { numbersOf } from "../infer/fact.ts";
import type { GraphFacts } from "../infer/facts.ts";
import { factsOf } from "../infer/shared_facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import {
  elementCount,
  hasArray,
  isExternal,
  tensorType,
  tensorValues,
} from "../codec/tensor_proto.ts";
import type { PassOptions } from "./pass.ts";
import { isReplaceable, replaceOutputs } from "./replace_value.ts";

/**
 * Removes nodes that do not change their input: Identity, x + 0, x − 0, x · 1, x / 1, x¹, a Cast to the same type,
 * a Reshape, Expand, Slice or Tile to the same shape, and chains of these with Squeeze, Unsqueeze, Flatten and
 * Transpose that end with the original shape. Nodes are removed only if type and shape are known not to change.
 * Outputs of the graph stay.
 *
 * Values are bitwise identical, except that x + 0 turned −0 into 0. A parameter that is currently 0 or 1 is not
 * treated as a constant.
 *
 * @returns number of nodes that were removed
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, dropIdentities, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("nothing");
 * const x = builder.input("x", "f32", ["N"]);
 * const same = builder.squeeze(builder.unsqueeze(builder.mul(x, 1), [1]), [1]);
 * builder.output("y", builder.op("Exp", [same], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(dropIdentities(graph), 2);
 * graph.prune();
 * assertEquals(graph.nodes.map(({ opType }) => opType), ["Exp"]);
 * ```
 */
export function dropIdentities(graph: Graph, options: PassOptions = {}): number {
  const identities = new Identities(graph, new Set(options.parameters));
  let count = 0;
  for (const node of graph.sort()) {
    if (node.domain !== "" || !isReplaceable(graph, node)) continue;
    const same = identities.sameAs(node);
    if (same === undefined) identities.joinTransposes(node);
    else {
      replaceOutputs(graph, node, [same]);
      count++;
    }
  }
  return count;
}

/** Operators that change only the shape of a value. */
const VIEWS = ["Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"];

/** Neutral second operands: with this number the operator returns its first operand. */
const NEUTRAL: Readonly<Record<string, number>> = { Add: 0, Sub: 0, Mul: 1, Div: 1, Pow: 1 };

/** Maximum number of elements of a constant that are compared. The elements of larger constants are rarely equal. */
const MOST_NUMBERS = 4096;

/** Finds nodes that do not change their input. */
class Identities {
  readonly #graph: Graph;
  readonly #facts: GraphFacts;
  readonly #parameters: ReadonlySet<string>;

  constructor(graph: Graph, parameters: ReadonlySet<string>) {
    this.#graph = graph;
    this.#parameters = parameters;
    this.#facts = factsOf(graph);
  }

  /** Returns the value that equals the only output of a node; `undefined` if there is no such value. */
  sameAs(node: NodeProto): string | undefined {
    const { opType, input: [x = "", other = ""], output } = node;
    if (output.length !== 1 || x === "") return undefined;
    if (opType === "Identity") return x;
    if (opType === "Cast") return this.#isOfType(x, node) ? x : undefined;
    if (opType === "Transpose") return this.#untransposed(node);
    if (VIEWS.includes(opType)) return this.#viewed(node);
    const neutral = NEUTRAL[opType];
    if (neutral !== undefined && this.#isAll(other, neutral)) return this.#ifSameShape(x, node);
    if ((opType === "Add" || opType === "Mul") && this.#isAll(x, neutral!)) {
      return this.#ifSameShape(other, node);
    }
    const isWhole = opType === "Expand" || opType === "Tile" ||
      opType === "Slice" && this.#hasUnitSteps(node);
    return isWhole ? this.#ifSameShape(x, node) : undefined;
  }

  /** Merges a Transpose of a Transpose into one node. */
  joinTransposes(node: NodeProto): void {
    const inner = this.#graph.producer(node.input[0] ?? "");
    const perm = intsAttribute(node, "perm"), first = inner && intsAttribute(inner, "perm");
    if (node.opType !== "Transpose" || inner?.opType !== "Transpose" || !perm || !first) return;
    const attribute = attributeOf(node, "perm")!;
    attribute.ints = perm.map((axis) => BigInt(first[axis] ?? 0));
    this.#graph.setInput(node, 0, inner.input[0] ?? "");
  }

  #isOfType(x: string, node: NodeProto): boolean {
    const { type } = this.#facts.of(x);
    return type !== undefined && type === elementTypeOf(intAttribute(node, "to", 0));
  }

  /**
   * Returns the value that a Transpose, alone or together with a preceding Transpose, leaves unchanged; `undefined`
   * if the axes are permuted.
   */
  #untransposed(node: NodeProto): string | undefined {
    const rank = this.#facts.of(node.input[0] ?? "").shape?.length;
    const last = permOf(node, rank);
    if (last === undefined) return undefined;
    if (last.every((from, to) => from === to)) return node.input[0];
    const inner = this.#graph.producer(node.input[0] ?? "");
    const first = inner?.opType === "Transpose" ? permOf(inner, rank) : undefined;
    return first && last.every((from, to) => first[from] === to) ? inner?.input[0] : undefined;
  }

  /**
   * Returns the nearest value before a chain of views that has the shape of its result; `undefined` if there is no
   * such value.
   */
  #viewed(node: NodeProto): string | undefined {
    for (let at: NodeProto | undefined = node; at !== undefined && VIEWS.includes(at.opType);) {
      const x: string = at.input[0] ?? "";
      if (this.#ifSameShape(x, node) !== undefined) return x;
      at = this.#graph.producer(x);
    }
    return undefined;
  }

  #ifSameShape(x: string, { output: [made = ""] }: NodeProto): string | undefined {
    const before = this.#facts.of(x).shape, after = this.#facts.of(made).shape;
    if (before === undefined || before.length !== after?.length) return undefined;
    return before.every((length, axis) => length === after[axis]) ? x : undefined;
  }

  #isAll(name: string, number: number): boolean {
    const tensor = this.#parameters.has(name) ? undefined : this.#graph.constant(name);
    if (tensor === undefined || isExternal(tensor) || elementCount(tensor) > MOST_NUMBERS) {
      return false;
    }
    const type = tensorType(tensor);
    if (!hasArray(type)) return false;
    // Compare the first number first, which usually differs. 16-bit floats are stored as bits and must be decoded.
    const isShort = type === "f16" || type === "bf16", first = tensorValues(tensor)[0];
    if (!isShort && first !== undefined && Number(first) !== number) return false;
    return plainOf(tensor).data.every((x) => x === number);
  }

  #hasUnitSteps({ input: [, , , , steps = ""] }: NodeProto): boolean {
    return steps === "" || numbersOf(this.#facts.of(steps))?.every((step) => step === 1) === true;
  }
}

/**
 * Returns the permutation of a Transpose. Without the attribute `perm`, it reverses the order of the axes. Returns
 * `undefined` if the rank is unknown.
 */
function permOf(node: NodeProto, rank: number | undefined): readonly number[] | undefined {
  const perm = intsAttribute(node, "perm");
  if (perm !== undefined || rank === undefined) return perm;
  return Array.from({ length: rank }, (_, axis) => rank - 1 - axis);
}
