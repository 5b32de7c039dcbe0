import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { unsupported } from "../graph/graph_errors.ts";
import { Facts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";
import { fedValues } from "./fed_values.ts";
import { operands } from "./operands.ts";

/** Operators that give another shape to the same memory, and so are no work for a GPU. */
const VIEWS = ["Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose"];

const SCATTERS = ["ScatterElements", "ScatterND"];

/** Types that WebGPU's Where takes. */
const TYPES: readonly ElementType[] = ["f32", "i32", "f16"];

const ACTION = "make a graph safe to capture";

/**
 * Makes a graph right when onnxruntime's WebGPU build records its first run and replays it.
 *
 * Only kernels are recorded, copies between buffers are not. So an output that is a view of something, or that depends
 * on nothing that is fed and so is known when the session opens, or a scatter whose base is not in memory of its own,
 * shows what was there at the first run, or nothing, or adds up from run to run. This puts a kernel in each of these
 * places, which changes nothing: a choice between a number and the value, by a condition that never holds but that
 * nobody can fold. The numbers differ, so that nobody merges equal places either: common subexpressions need not be
 * left in.
 *
 * @returns how many kernels were put in
 * @throws {UnsupportedNodeError} for control flow, for an output that is an input or a constant, and for places of
 * other types than f32, i32 and f16
 * @throws {RangeError} when no input is f32
 * @throws {SyntaxError} when the file says other types or shapes than follow from the operators
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
      const requirement = "a node must make every output";
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

/** Does the scatter that uses this base change it in place: the sum of another one that nobody else reads? */
function hasOwnMemory(graph: Graph, base: string): boolean {
  const made = graph.producer(base)?.opType ?? "";
  return SCATTERS.includes(made) && graph.uses(base).length === 1 && !graph.isOutput(base);
}

/** Puts kernels into a graph that change nothing. */
class Places {
  readonly #graph: Graph;
  readonly #facts: Facts;
  #never: string | undefined;
  count = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#facts = new Facts(graph);
  }

  /** The type of a value, where it is known. */
  typeOf(value: string): ElementType | undefined {
    return this.#facts.of(value).type;
  }

  /** The same value from a kernel of its own, for or from this node. */
  fresh(value: string, node: NodeProto, name?: string): string {
    const graph = this.#graph, type = this.typeOf(value);
    if (type === undefined || !TYPES.includes(type)) {
      const requirement = `scatters and outputs must be of ${TYPES.join(", ")}, not ${type ?? "?"}`;
      throw unsupported(ACTION, node, requirement);
    }
    const other = graph.constantOf(type, ++this.count, [], `capture_${type}_${this.count}`);
    const output = name ?? graph.freshName(`${value}_fresh`);
    return graph.make("Where", [this.#condition(), other, value], {}, output);
  }

  /** s < s, with s the sum of an input: false, for NaN too. */
  #condition(): string {
    if (this.#never !== undefined) return this.#never;
    const graph = this.#graph;
    const input = graph.inputs.find(({ name }) => graph.type(name) === "f32")?.name;
    if (input === undefined) {
      throw new RangeError(
        `Cannot ${ACTION} as an input must be f32: current inputs are ${
          graph.inputs.map(({ name }) => `${name} ${graph.type(name) ?? "?"}`).join(", ") || "none"
        }`,
      );
    }
    const sum = graph.make("ReduceSum", [input], { keepdims: 0 });
    this.#never = graph.make("Less", [sum, sum], {}, graph.freshName("never"));
    return this.#never;
  }
}
