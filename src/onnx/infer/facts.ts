import { type ElementType, elementTypeOf } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { malformed } from "../graph/graph_errors.ts";
import { showNode } from "../codec/check_model.ts";
import type { NodeProto, TensorProto } from "../codec/messages.ts";
import { elementCount, isExternal, tensorValues } from "../codec/tensor_proto.ts";
import { describeValue, type Length } from "../codec/value_info.ts";
import {
  type Fact,
  factOf,
  type InferenceRule,
  type Inferring,
  type KnownShape,
  MOST_VALUES,
  UNKNOWN,
} from "./fact.ts";
import { agree, type Said } from "./agree.ts";
import { readFileLength } from "./length.ts";
import { INFERENCE_RULES, operatorOf } from "./rules.ts";

export type { Fact } from "./fact.ts";

/** Types whose numbers are kept. */
const WHOLE: readonly (ElementType | undefined)[] = [
  "i64",
  "i32",
  "i16",
  "i8",
  "u32",
  "u16",
  "u8",
  "bool",
];

/**
 * Types, shapes and small numbers of the values of a graph, found out when asked for and then remembered. Nodes may be
 * added to the graph any time; what was a value once must go on being the same value.
 *
 * What follows from the operators comes first; what the file says of a value in between is for where nothing follows,
 * and both must agree.
 *
 * Lengths are numbers or texts of polynomials in the names that inputs have: equal texts are equal lengths. Names are
 * taken not to be 0 where something is divided by them.
 *
 * @example How many rows come out
 * ```ts
 * import { Facts, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("rows");
 * const x = builder.input("x", "f32", ["N", 4, 6]);
 * const y = builder.reshape(x, builder.constant("i64", [-1, 8]));
 * assertEquals(new Facts(builder.graph).of(y.name).shape, ["3*N", 8]);
 * ```
 */
export class Facts {
  readonly #graph: Graph;
  readonly #known = new Map<string, Fact>();
  readonly #inferring: Inferring;
  #count = 0;
  /** The node that is being looked at. */
  #node: NodeProto | undefined;

  /** Facts of this graph; nothing is found out yet. */
  constructor(graph: Graph) {
    this.#graph = graph;
    this.#inferring = {
      graph,
      opset: graph.opset,
      fresh: () => `?${++this.#count}`,
      freshNumber: () => `?x${++this.#count}`,
      contradiction: (requirement, value) => {
        throw malformed(requirement, this.#node ? `${value}, in ${showNode(this.#node)}` : value);
      },
    };
  }

  /**
   * What is known of a value.
   *
   * @throws {SyntaxError} where two things that are known of a value on the way to it contradict each other
   */
  of(name: string): Fact {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const node = this.#graph.producer(name);
    const isReady = (input: string) => input === "" || this.#known.has(input);
    if (node === undefined || node.input.every(isReady)) this.#find(name, node);
    else this.#findAll(name);
    return this.#known.get(name) ?? UNKNOWN;
  }

  /** Finds a value, and what it needs before. */
  #findAll(name: string): void {
    // Written out instead of recursive: chains of nodes are longer than stacks are deep.
    const waiting = [name];
    const begun = new Set<NodeProto>();
    for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
      const node = this.#known.has(next) ? undefined : this.#graph.producer(next);
      const count = waiting.length;
      if (node !== undefined && !begun.has(node)) {
        begun.add(node);
        for (const input of node.input) {
          if (input !== "" && !this.#known.has(input)) waiting.push(input);
        }
      }
      if (waiting.length > count) continue;
      waiting.pop();
      if (!this.#known.has(next)) this.#find(next, node);
    }
  }

  #find(name: string, node: NodeProto | undefined): void {
    const tensor = this.#graph.constant(name);
    if (tensor !== undefined) this.#known.set(name, factOfTensor(tensor));
    else if (node === undefined) this.#known.set(name, this.#agreed(name, UNKNOWN));
    else this.#infer(node);
  }

  #infer(node: NodeProto): void {
    this.#node = node;
    const rule: InferenceRule | undefined = INFERENCE_RULES[operatorOf(node)];
    const inputs = node.input.map((name) =>
      name === "" ? undefined : this.#known.get(name) ?? UNKNOWN
    );
    const facts = rule?.(inputs, node, this.#inferring) ?? [];
    for (const [i, name] of node.output.entries()) {
      if (name !== "") this.#known.set(name, this.#agreed(name, facts[i] ?? UNKNOWN));
    }
    this.#node = undefined;
  }

  /** What follows, and what the file says. */
  #agreed(name: string, fact: Fact): Fact {
    const info = this.#graph.info(name);
    if (info === undefined) return fact;
    const { type, shape } = describeValue(info);
    const said: Said = { type, shape: shape?.map(readLength) };
    return agree(fact, said, name, this.#inferring);
  }
}

/** Names that begin as fresh ones do say nothing. */
function readLength(length: Length): number | string | undefined {
  if (typeof length !== "string") return length;
  return length.startsWith("?") ? undefined : readFileLength(length);
}

function factOfTensor(tensor: TensorProto): Fact {
  const type = elementTypeOf(tensor.dataType);
  const shape: KnownShape = tensor.dims.map(Number);
  const isSmall = shape.length <= 1 && elementCount(tensor) <= MOST_VALUES && !isExternal(tensor);
  if (!isSmall || !WHOLE.includes(type)) return factOf(type, shape);
  return factOf(type, shape, Array.from(tensorValues(tensor), Number));
}
