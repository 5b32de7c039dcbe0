import { hop } from "../../base/sequence.ts";
import { show } from "../../base/show.ts";
import { decodeModel } from "../codec/codec.ts";
import { Graph } from "../graph/graph.ts";
import type { ModelProto, NodeProto } from "../codec/messages.ts";
import { opsetOf, OPSETS } from "../codec/opset.ts";
import { describeValue, type ValueDescription } from "../codec/value_info.ts";
import { Evaluation } from "./evaluation.ts";
import { plainFeed, type PlainFeeds } from "./feeds.ts";
import type { Operators } from "./operator.ts";
import { plainOf, type PlainTensor } from "./plain_tensor.ts";
import { type Plan, planFor } from "./plan.ts";

/** Options of {@linkcode openEvaluator}. */
export interface EvaluatorOptions {
  /** Custom operators, which have priority over built-in ones. */
  readonly operators?: Operators;
  /**
   * True to round the result of each node to its type, as a runtime does. By default everything is computed in
   * double precision, whatever the types of the graph.
   *
   * @default false
   */
  readonly rounds?: boolean;
  /**
   * True to accept models of opsets other than 18 to 21. Their operators may be evaluated incorrectly.
   *
   * @default false
   */
  readonly anyOpset?: boolean;
  /**
   * Memory limit in bytes for the results of nodes that exist at the same time, without feeds and constants. It
   * stops models in which a few nodes that double their input would exhaust the memory of the machine. `Infinity`
   * sets no limit.
   *
   * @default 4 GiB
   */
  readonly maxBytes?: number;
  /**
   * Signal that aborts evaluations with its reason. It is checked between nodes; a single node is never
   * interrupted.
   */
  readonly signal?: AbortSignal;
}

/** A graph that can be evaluated in plain TypeScript. */
export interface Evaluator {
  /** Inputs that must be fed. */
  readonly inputs: readonly ValueDescription[];
  /** Outputs of the graph. */
  readonly outputs: readonly ValueDescription[];
  /**
   * Evaluates the graph.
   *
   * @param wanted names of values to return, which may be intermediate values. Only nodes that they need are
   * evaluated, and only their inputs must be fed
   * @default wanted all outputs
   * @throws {TypeError} if an input is missing or has the wrong type, or a name does not exist
   * @throws {RangeError} if a shape does not fit
   * @throws {UnsupportedNodeError} if an operator is unknown, or a node has subgraphs
   * @throws {RangeError} if the results of nodes need more than `maxBytes`
   */
  run(feeds: PlainFeeds, wanted?: readonly string[]): Record<string, PlainTensor>;
  /**
   * Evaluates the graph as `run` does, but yields to the event loop about every 50 ms, so that timers run and the
   * signal can abort the evaluation.
   */
  runInTurns(
    feeds: PlainFeeds,
    wanted?: readonly string[],
  ): Promise<Record<string, PlainTensor>>;
}

/**
 * Opens a graph for evaluation in plain TypeScript and double precision, without a runtime. It is slow and accurate.
 * Use it for tests, for constants, or if onnxruntime is not available.
 *
 * A {@linkcode Graph} that is edited after it was opened must be opened again.
 *
 * @throws {RangeError} if the opset is not between 18 and 21
 * @throws {SyntaxError} if the bytes are not a model, or the graph is invalid
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

/** Opset import that replaces the imports of a model if `anyOpset` is true. */
const ANY_OPSET = [{
  $typeName: "onnx.OperatorSetIdProto" as const,
  domain: "",
  version: BigInt(OPSETS.last),
}];

const MAX_BYTES = 2 ** 32;
const TURN_MS = 50;

/** Implementation of {@linkcode Evaluator}. */
class GraphEvaluator implements Evaluator {
  readonly inputs: readonly ValueDescription[];
  readonly outputs: readonly ValueDescription[];
  readonly #graph: Graph;
  readonly #opset: number;
  readonly #operators: Operators;
  readonly #options: EvaluatorOptions;
  readonly #order: readonly NodeProto[];
  readonly #fed: ReadonlyMap<string, ValueDescription>;
  readonly #constants = new Map<string, PlainTensor>();
  readonly #plans = new Map<string, Plan>();

  constructor(graph: Graph, opset: number, options: EvaluatorOptions) {
    checkMaxBytes(options.maxBytes);
    this.inputs = graph.inputs.map(describeValue);
    this.outputs = graph.outputs.map(describeValue);
    this.#graph = graph;
    this.#opset = opset;
    this.#operators = options.operators ?? {};
    this.#options = options;
    this.#order = graph.sort();
    this.#fed = new Map(
      (graph.model.graph?.input ?? []).map((info) => [info.name, describeValue(info)]),
    );
  }

  run(feeds: PlainFeeds, wanted: readonly string[] = this.#all): Record<string, PlainTensor> {
    const evaluation = this.#begin(feeds, wanted);
    while (evaluation.step());
    return resultsOf(evaluation, wanted);
  }

  async runInTurns(
    feeds: PlainFeeds,
    wanted: readonly string[] = this.#all,
  ): Promise<Record<string, PlainTensor>> {
    const evaluation = this.#begin(feeds, wanted);
    for (let since = performance.now(); evaluation.step();) {
      if (performance.now() - since < TURN_MS) continue;
      await hop();
      since = performance.now();
    }
    return resultsOf(evaluation, wanted);
  }

  get #all(): readonly string[] {
    return this.outputs.map(({ name }) => name);
  }

  #begin(feeds: PlainFeeds, wanted: readonly string[]): Evaluation {
    const plan = this.#planFor(wanted);
    const { rounds = false, maxBytes = MAX_BYTES, signal } = this.#options;
    const constant = (name: string) => this.#constant(name);
    const rules = { plan, opset: this.#opset, rounds, maxBytes, signal, constant };
    return new Evaluation(rules, this.#feed(feeds, plan.needed));
  }

  #planFor(wanted: readonly string[]): Plan {
    const key = JSON.stringify(wanted);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const missing = wanted.find((name) => !this.#graph.has(name));
    if (missing !== undefined) {
      throw new TypeError(
        `Cannot evaluate a graph: unknown value ${JSON.stringify(missing)}`,
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
          `Cannot evaluate a graph: unknown input ${name}; its inputs are ${
            [...this.#fed.keys()].join(", ") || "none"
          }`,
        );
      }
      values.set(name, plainFeed(input, feed));
    }
    for (const { name } of this.inputs) {
      if (!needed.has(name) || values.has(name)) continue;
      throw new TypeError(
        `Cannot evaluate a graph: input ${name} is required: pass it in feeds`,
      );
    }
    return values;
  }

  #constant(name: string): PlainTensor {
    const known = this.#constants.get(name);
    if (known !== undefined) return known;
    // Before IR version 4 constants are inputs, too, and the graph does not list them as constants.
    const tensor = this.#graph.constant(name) ??
      this.#graph.model.graph?.initializer.find((each) => each.name === name);
    if (tensor === undefined) {
      throw new TypeError(
        `Cannot evaluate a graph: constant ${name} must be a dense tensor of numbers`,
      );
    }
    const plain = plainOf(tensor);
    this.#constants.set(name, plain);
    return plain;
  }
}

function resultsOf(
  evaluation: Evaluation,
  wanted: readonly string[],
): Record<string, PlainTensor> {
  return Object.fromEntries(wanted.map((name) => [name, evaluation.value(name)!]));
}

function checkMaxBytes(maxBytes: number | undefined): void {
  if (maxBytes === undefined || (typeof maxBytes === "number" && maxBytes > 0)) return;
  throw new RangeError(`maxBytes must be a number above 0; got ${show(maxBytes)}`);
}
