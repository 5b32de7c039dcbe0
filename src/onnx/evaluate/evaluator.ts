import { decodeModel } from "../codec/codec.ts";
import { Graph } from "../graph/graph.ts";
import { unsupported } from "../graph/graph_errors.ts";
import type { ModelProto, NodeProto } from "../codec/messages.ts";
import { opsetOf, OPSETS } from "../codec/opset.ts";
import { describeValue, type ValueDescription } from "../codec/value_info.ts";
import { plainFeed, type PlainFeeds } from "./feeds.ts";
import type { Operators } from "./operator.ts";
import { plainOf, type PlainTensor } from "./plain_tensor.ts";
import { type Plan, planFor } from "./plan.ts";
import { roundTo } from "./operators/rounding.ts";

/** How to evaluate a graph. */
export interface EvaluatorOptions {
  /** Operators over and above those known here; they go first. */
  readonly operators?: Operators;
  /**
   * Rounds what each node makes to its type, as a runtime would. Without it everything is computed in double
   * precision, whatever the types of the graph.
   *
   * @default false
   */
  readonly rounds?: boolean;
  /**
   * Takes models of other opsets too, on one's own risk.
   *
   * @default false
   */
  readonly anyOpset?: boolean;
}

/** Runs a graph in plain TypeScript. */
export interface Evaluator {
  /** What must be fed. */
  readonly inputs: readonly ValueDescription[];
  /** What comes out. */
  readonly outputs: readonly ValueDescription[];
  /**
   * The values of the graph for these inputs.
   *
   * @param wanted names of any values of the graph, and not of outputs alone; only what they need is computed, and fed
   * @default wanted all outputs
   * @throws {TypeError} for an input that is missing or of another type, for names that there are not
   * @throws {RangeError} for lengths that do not fit
   * @throws {UnsupportedNodeError} for an operator that is not known, and for graphs inside of nodes
   */
  run(feeds: PlainFeeds, wanted?: readonly string[]): Record<string, PlainTensor>;
}

/**
 * Opens a graph for evaluation in plain TypeScript and double precision, with no runtime: slow, and as exact as
 * doubles are. Meant for tests, for constants, and for machines without onnxruntime.
 *
 * A {@linkcode Graph} that is edited must be opened again.
 *
 * @throws {RangeError} for another opset than 18 to 21
 * @throws {SyntaxError} for what is no model, or a graph that makes no sense
 *
 * @example
 * ```ts
 * import { GraphBuilder, openEvaluator } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("double");
 * const x = builder.input("x", "f32", ["N"]);
 * builder.output("y", builder.add(x, x));
 * const { y } = openEvaluator(builder.build()).run({ x: { data: Float32Array.of(1, 2.5) } });
 * assertEquals(y, { type: "f32", dims: [2], data: Float64Array.of(2, 5) });
 * ```
 */
export function openEvaluator(
  model: Uint8Array | ModelProto | Graph,
  options: EvaluatorOptions = {},
): Evaluator {
  if (model instanceof Graph) return new GraphEvaluator(model, model.opset, options);
  const proto = model instanceof Uint8Array ? decodeModel(model) : model;
  const imports = options.anyOpset === true ? ANY_OPSET : proto.opsetImport;
  return new GraphEvaluator(new Graph({ ...proto, opsetImport: imports }), opsetOf(proto), options);
}

/** What a graph takes for an opset that it knows. */
const ANY_OPSET = [{
  $typeName: "onnx.OperatorSetIdProto" as const,
  domain: "",
  version: BigInt(OPSETS.last),
}];

/** {@linkcode Evaluator} */
class GraphEvaluator implements Evaluator {
  readonly inputs: readonly ValueDescription[];
  readonly outputs: readonly ValueDescription[];
  readonly #graph: Graph;
  readonly #opset: number;
  readonly #operators: Operators;
  readonly #rounds: boolean;
  readonly #order: readonly NodeProto[];
  readonly #fed: ReadonlyMap<string, ValueDescription>;
  readonly #constants = new Map<string, PlainTensor>();
  readonly #plans = new Map<string, Plan>();

  constructor(graph: Graph, opset: number, { operators = {}, rounds = false }: EvaluatorOptions) {
    this.inputs = graph.inputs.map(describeValue);
    this.outputs = graph.outputs.map(describeValue);
    this.#graph = graph;
    this.#opset = opset;
    this.#operators = operators;
    this.#rounds = rounds;
    this.#order = graph.sort();
    this.#fed = new Map(
      (graph.model.graph?.input ?? []).map((info) => [info.name, describeValue(info)]),
    );
  }

  run(
    feeds: PlainFeeds,
    wanted: readonly string[] = this.outputs.map(({ name }) => name),
  ): Record<string, PlainTensor> {
    const { steps, needed } = this.#planFor(wanted);
    const values = this.#feed(feeds, needed);
    for (const { node, evaluate, done } of steps) {
      const inputs = node.input.map((name) => this.#value(name, values));
      const outputs = evaluate(inputs, node, { opset: this.#opset });
      node.output.forEach((name, i) => {
        if (name !== "") values.set(name, this.#made(node, outputs[i]));
      });
      for (const name of done) values.delete(name);
    }
    return Object.fromEntries(wanted.map((name) => [name, this.#value(name, values)!]));
  }

  #planFor(wanted: readonly string[]): Plan {
    const key = JSON.stringify(wanted);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const missing = wanted.find((name) => !this.#graph.has(name));
    if (missing !== undefined) {
      throw new TypeError(
        `Cannot evaluate a graph as what is wanted must be among its values: ` +
          `current value is ${JSON.stringify(missing)}`,
      );
    }
    const plan = planFor(this.#graph, this.#order, wanted, this.#operators);
    this.#plans.set(key, plan);
    return plan;
  }

  #feed(feeds: PlainFeeds, needed: ReadonlySet<string>): Map<string, PlainTensor> {
    const values = new Map<string, PlainTensor>();
    for (const [name, feed] of Object.entries(feeds)) {
      const input = this.#fed.get(name);
      if (input === undefined) {
        throw new TypeError(
          `Cannot evaluate a graph as its inputs are ${
            [...this.#fed.keys()].join(", ") || "none"
          }: ` +
            `current name is ${name}`,
        );
      }
      values.set(name, plainFeed(input, feed));
    }
    for (const { name } of this.inputs) {
      if (!needed.has(name) || values.has(name)) continue;
      throw new TypeError(
        `Cannot evaluate a graph as every input that is needed must be fed: ${name} is not`,
      );
    }
    return values;
  }

  #value(name: string, values: ReadonlyMap<string, PlainTensor>): PlainTensor | undefined {
    if (name === "") return undefined;
    return values.get(name) ?? this.#constant(name);
  }

  #constant(name: string): PlainTensor {
    const known = this.#constants.get(name);
    if (known !== undefined) return known;
    // Before IR version 4 constants are inputs too, which the graph does not count as constants.
    const tensor = this.#graph.constant(name) ??
      this.#graph.model.graph?.initializer.find((each) => each.name === name);
    if (tensor === undefined) {
      throw new TypeError(
        `Cannot evaluate a graph as its constants must be dense tensors of numbers: ${name} is none`,
      );
    }
    const plain = plainOf(tensor);
    this.#constants.set(name, plain);
    return plain;
  }

  #made(node: NodeProto, output: PlainTensor | undefined): PlainTensor {
    if (output === undefined) {
      throw unsupported("evaluate a graph", node, "no more outputs must be named than it makes");
    }
    if (!this.#rounds) return output;
    return { ...output, data: roundTo(output.type, output.data.slice()) };
  }
}
