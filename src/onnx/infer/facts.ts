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
import { type Declared, mergeDeclared } from "./merge_declared.ts";
import { readFileLength } from "./length.ts";
import { INFERENCE_RULES, operatorOf } from "./rules.ts";

export type { Fact } from "./fact.ts";

/** Element types of tensors whose values are stored in facts. */
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
 * Infers types, shapes and small integer values of a graph on request, and caches them. Nodes may be added to the
 * graph at any time, but existing values must keep their meaning.
 *
 * Facts that follow from operators have priority. Declarations of the file fill the gaps, and must not contradict
 * them.
 *
 * Lengths are numbers, or texts of polynomials in the named lengths of inputs: equal texts are equal lengths. In
 * divisions, named lengths are assumed not to be 0.
 *
 * @example Infer the number of rows of a result
 * ```ts
 * import { GraphBuilder, GraphFacts } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("rows");
 * const x = builder.input("x", "f32", ["N", 4, 6]);
 * const y = builder.reshape(x, builder.constant("i64", [-1, 8]));
 * assertEquals(new GraphFacts(builder.graph).of(y.name).shape, ["3*N", 8]);
 * ```
 */
export class GraphFacts {
  readonly #graph: Graph;
  readonly #known = new Map<string, Fact>();
  readonly #inferring: Inferring;
  #count = 0;
  /** Node whose rule is running; error messages name it. */
  #node: NodeProto | undefined;

  /** Creates the facts of a graph. Inference starts with the first call of `of`. */
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
   * Returns the facts about a value.
   *
   * @throws {SyntaxError} if facts about it, or about a value that it depends on, contradict each other
   */
  of(name: string): Fact {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const node = this.#graph.producer(name);
    const isReady = (input: string) => input === "" || this.#known.has(input);
    // Passes ask in the order of the nodes, so inputs are usually known and the stack of #findAll is not
    // needed.
    if (node === undefined || node.input.every(isReady)) this.#find(name, node);
    else this.#findAll(name);
    return this.#known.get(name) ?? UNKNOWN;
  }

  /** Infers the facts about a value and all values that it depends on. */
  #findAll(name: string): void {
    // Use an explicit stack: a chain of nodes may be longer than the call stack is deep.
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
      // The value stays on the stack below its inputs, and is inferred when it comes up again.
      if (waiting.length > count) continue;
      waiting.pop();
      if (!this.#known.has(next)) this.#find(next, node);
    }
  }

  #find(name: string, node: NodeProto | undefined): void {
    // Constants come first: Constant nodes are constants, too, and their values are needed for shapes.
    const tensor = this.#graph.constant(name);
    if (tensor !== undefined) this.#known.set(name, factOfTensor(tensor));
    else if (node === undefined) this.#known.set(name, this.#merged(name, UNKNOWN));
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
      if (name !== "") this.#known.set(name, this.#merged(name, facts[i] ?? UNKNOWN));
    }
    this.#node = undefined;
  }

  /** Merges an inferred fact with the declaration of the file. */
  #merged(name: string, fact: Fact): Fact {
    const info = this.#graph.info(name);
    if (info === undefined) return fact;
    const { type, shape } = describeValue(info);
    const declared: Declared = { type, shape: shape?.map(readLength) };
    return mergeDeclared(fact, declared, name, this.#inferring);
  }
}

/** Converts a declared length to its canonical text. A name that could be one of the inference becomes `undefined`. */
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
