import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { unsupported } from "../graph/graph_errors.ts";
import { GraphFacts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";
import { fedValues } from "./fed_values.ts";
import { operands } from "./operands.ts";

/** Operators that may return the memory of their input with another shape, without running a kernel on the GPU. */
const VIEWS = ["Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose"];

const SCATTERS = ["ScatterElements", "ScatterND"];

/** Element types that Where supports on WebGPU. */
const TYPES: readonly ElementType[] = ["f32", "i32", "f16"];

const ACTION = "make a graph safe to capture";

/**
 * Makes a graph safe for capture: onnxruntime's WebGPU build records the first run and replays it.
 *
 * Only kernels are recorded, not copies between buffers. So three kinds of values are wrong in a replay:
 * - an output that is a view of another value
 * - an output that does not depend on any input, because it is computed when the session opens
 * - a scatter whose base shares memory with another value
 *
 * They have the values of the first run, or no values, or accumulate from run to run. For each of them, this pass
 * inserts a kernel that does not change the value: a Where between a number and the value, with a condition that is
 * always false but cannot be folded. Each kernel uses a different number, so that common subexpression elimination
 * does not merge them.
 *
 * @returns number of inserted kernels
 * @throws {UnsupportedNodeError} if the graph has control flow, if an output is an input or a constant, or if one of
 * these values is not f32, i32 or f16
 * @throws {RangeError} if no input is f32
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { captureSafe, decodeModel, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("flat");
 * const x = builder.input("x", "f32", ["N", 1]);
 * builder.output("y", builder.squeeze(builder.mul(x, 2), [1]));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(captureSafe(graph), 1);
 * assertEquals(graph.producer("y")?.opType, "Where");
 * ```
 */
export function captureSafe(graph: Graph): number {
  graph.refuseControlFlow(ACTION);
  const places = new Places(graph);
  for (const node of graph.nodes) {
    if (!SCATTERS.includes(node.opType)) continue;
    const { inputs: [base = ""] } = operands(node, 3, ACTION);
    if (!hasOwnMemory(graph, base)) graph.setInput(node, 0, places.fresh(base, node));
  }
  const fed = fedValues(graph);
  for (const { name } of graph.outputs) {
    const node = graph.producer(name);
    if (node === undefined) {
      const what = graph.constant(name) === undefined ? "input" : "constant";
      const requirement = "every output must be the result of a node";
      throw new UnsupportedNodeError({ action: ACTION, node: name, op: what, requirement });
    }
    const type = fed.has(name) ? undefined : places.typeOf(name);
    const isFixed = type !== undefined && TYPES.includes(type);
    if (![...VIEWS, ...SCATTERS].includes(node.opType) && !isFixed) continue;
    const before = graph.freshName(`${name}_uncaptured`);
    graph.rename(name, before, { keepsOutput: true });
    places.fresh(before, node, name);
  }
  return places.count;
}

/**
 * Returns whether a scatter may modify its base in place. This requires that the base is the result of another
 * scatter, and that no other node and no output of the graph uses it.
 */
function hasOwnMemory(graph: Graph, base: string): boolean {
  const made = graph.producer(base)?.opType ?? "";
  return SCATTERS.includes(made) && graph.uses(base).length === 1 && !graph.isOutput(base);
}

/** Inserts kernels that copy values without changing them. */
class Places {
  readonly #graph: Graph;
  readonly #facts: GraphFacts;
  #never: string | undefined;
  count = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#facts = new GraphFacts(graph);
  }

  /** Returns the type of a value; `undefined` if it is unknown. */
  typeOf(value: string): ElementType | undefined {
    return this.#facts.of(value).type;
  }

  /**
   * Inserts a kernel that copies a value, and returns the name of the copy, which is `name` if it is given. The error
   * for an unsupported type names `node`.
   */
  fresh(value: string, node: NodeProto, name?: string): string {
    const graph = this.#graph, type = this.typeOf(value);
    if (type === undefined || !TYPES.includes(type)) {
      const requirement = `scatters and outputs must be ${TYPES.join(", ")}, not ${
        type ?? "unknown"
      }`;
      throw unsupported(ACTION, node, requirement);
    }
    const other = graph.constantOf(type, ++this.count, [], `capture_${type}_${this.count}`);
    const output = name ?? graph.freshName(`${value}_fresh`);
    return graph.make("Where", [this.#condition(), other, value], {}, output);
  }

  /**
   * Adds the condition s < s, where s is the sum of an input, and returns its name. It is false even for NaN, and no
   * pass folds it.
   */
  #condition(): string {
    if (this.#never !== undefined) return this.#never;
    const graph = this.#graph;
    const input = graph.inputs.find(({ name }) => graph.type(name) === "f32")?.name;
    if (input === undefined) {
      throw new RangeError(
        `Cannot ${ACTION}: one input must be f32; got ${
          graph.inputs.map(({ name }) => `${name} ${graph.type(name) ?? "?"}`).join(", ") || "none"
        }`,
      );
    }
    const sum = graph.make("ReduceSum", [input], { keepdims: 0 });
    this.#never = graph.make("Less", [sum, sum], {}, graph.freshName("never"));
    return this.#never;
  }
}
