/**
 * A graph by chance, of the operators that have rules.
 *
 * @module
 */

import { evaluateNode } from "../../../src/onnx/evaluate/evaluate_node.ts";
import { countOf, type PlainTensor, plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  Graph,
  GraphBuilder,
  type NodeProto,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { randomFrom } from "../fuzz.ts";
import type { Draft, Known, Making } from "./random_making.ts";
import { RANDOM_OPERATORS } from "./random_operators.ts";

/** One node to try: an operator, what it begins with, and all else by chance. */
export interface Pick {
  readonly op: string;
  readonly first: number;
  readonly chance: number;
}

/** Description from which a graph is made. Nodes that do not fit are omitted. */
export interface Recipe {
  readonly opset: number;
  readonly inputs: readonly (readonly number[])[];
  readonly chance: number;
  readonly picks: readonly Pick[];
}

/** Descriptions of the lengths of inputs: numbers, one name for equal lengths, or a separate name for each length. */
export const LENGTHS = ["fixed", "named", "free"] as const;

/** A graph with one number that is differentiated. */
export class RandomGraph {
  /** Feeds of the graph. */
  readonly feeds: Readonly<Record<string, PlainTensor>>;
  /** Inputs that are floats. */
  readonly floats: readonly string[];
  readonly #bytes: Uint8Array;
  /** Its nodes, without those that add up what they make. */
  readonly #lines: readonly string[];

  constructor(recipe: Recipe) {
    const kitchen = new Kitchen(recipe);
    for (const pick of recipe.picks) kitchen.add(pick);
    const { nodes } = kitchen.graph;
    this.#lines = nodes.map((node) => kitchen.show(node));
    kitchen.finish();
    this.feeds = kitchen.feeds;
    this.floats = recipe.inputs.map((_, i) => `x${i}`);
    this.#bytes = kitchen.graph.encode();
  }

  /** The graph, with the output `loss`. */
  graph(lengths: typeof LENGTHS[number]): Graph {
    const graph = new Graph(decodeModel(this.#bytes));
    if (lengths === "fixed") return graph;
    for (const info of graph.inputs) {
      const { type, dims } = this.feeds[info.name]!;
      const name = (length: number, axis: number) =>
        lengths === "named" ? `L${length}` : `${info.name}_${axis}`;
      info.type = valueInfo(info.name, type, dims.map(name)).type!;
    }
    return new Graph(graph.model);
  }

  /** As code, for people. */
  toString(): string {
    const inputs = Object.entries(this.feeds).map(([name, { type, dims, data }]) =>
      `${name} = ${type}[${dims}] ${[...data].map((x) => +x.toFixed(3)).join(" ")}`
    );
    return ["", ...inputs, ...this.#lines, ""].join("\n");
  }
}

/** Makes a graph. It computes every node immediately, and keeps a node only if its values stay within bounds. */
class Kitchen {
  readonly graph: Graph;
  readonly feeds: Record<string, PlainTensor> = {};
  readonly #known = new Map<string, PlainTensor>();
  readonly #floats: Known[] = [];

  constructor({ opset, inputs, chance }: Recipe) {
    this.graph = new GraphBuilder("random", { opset }).graph;
    const random = randomFrom(chance);
    for (const [i, dims] of inputs.entries()) this.#input(`x${i}`, numbers(dims, random));
  }

  /** Adds a node, if it fits. */
  add({ op, first, chance }: Pick): void {
    const random = randomFrom(chance), a = this.#floats[first % this.#floats.length]!;
    const draft = RANDOM_OPERATORS[op]!(this.#making(a, random));
    if (draft !== undefined) this.#try(op, draft);
  }

  /** Adds up all unused values, weighted. */
  finish(): void {
    const { graph } = this, random = randomFrom(1);
    const ends = this.#floats.filter(({ name }) => graph.uses(name).length === 0);
    const terms = ends.map(({ name, dims }) => {
      const weights = graph.constantOf("f32", numbers(dims, random).data, dims, "weights");
      return graph.make("ReduceSum", [graph.make("Mul", [name, weights])], { keepdims: 0 });
    });
    const sum = terms.reduce((sum, term) => graph.make("Add", [sum, term]));
    graph.add("Identity", [sum], { outputs: ["loss"] });
    graph.addOutput(valueInfo("loss", "f32", []));
    graph.prune();
  }

  /** A node as a line of code. */
  show({ opType, input, output, attribute }: NodeProto): string {
    const { graph } = this;
    const value = (name: string) => {
      const tensor = graph.constant(name) && this.#known.get(name);
      return tensor === undefined ? name : `${tensor.type}[${tensor.dims}](${tensor.data})`;
    };
    const attributes = attribute.map(({ name, i, f, ints, s, type }) =>
      `${name}: ${[, f, i, new TextDecoder().decode(s), , , , `[${ints}]`][type]}`
    );
    return `${output.join(", ")} = ${opType}(${[...input.map(value), ...attributes].join(", ")})`;
  }

  #try(
    op: string,
    { inputs, attributes = {}, outputs = 1, floats = outputs }: NonNullable<Draft>,
  ): void {
    const { graph } = this, node = graph.add(op, inputs, { attributes, outputs });
    const made = evaluateNode(node, inputs.map((name) => this.#known.get(name)), {
      opset: graph.opset,
    });
    if (!made.slice(0, floats).every(isModest)) return graph.remove(node);
    for (const [i, tensor] of made.slice(0, floats).entries()) this.#know(node.output[i]!, tensor);
  }

  #making(a: Known, random: (n: number) => number): Making {
    const constant = (tensor: PlainTensor): string => {
      const name = this.graph.constantOf(tensor.type, tensor.data, tensor.dims);
      this.#known.set(name, tensor);
      return name;
    };
    return {
      values: this.#floats,
      a,
      random,
      pick: (list) => list.length === 0 ? undefined : list[random(list.length)],
      float: (value) => constant(plainTensor("f32", [], [value])),
      ints: (values, dims = [values.length]) => constant(plainTensor("i64", dims, values)),
      flags: ({ dims }) => {
        const data = Array.from({ length: countOf(dims) }, () => random(2));
        return constant(plainTensor("bool", dims, data));
      },
    };
  }

  #input(name: string, tensor: PlainTensor): void {
    this.graph.addInput(valueInfo(name, tensor.type, tensor.dims));
    this.feeds[name] = tensor;
    this.#know(name, tensor);
  }

  #know(name: string, tensor: PlainTensor): void {
    this.#known.set(name, tensor);
    this.#floats.push({ name, ...tensor });
  }
}

/** Small, with few elements. */
function isModest({ dims, data }: PlainTensor): boolean {
  return dims.length <= 3 && data.length <= 48 && data.length > 0 &&
    data.every((x) => Math.abs(x) < 6);
}

/** Numbers from −1.5 to 1.5, not too near to 0, that are numbers in float32 too. */
export function numbers(dims: readonly number[], random: (n: number) => number): PlainTensor {
  const one = () => (random(2) === 0 ? 1 : -1) * (0.35 + random(1000) / 1000 * 1.15);
  return plainTensor(
    "f32",
    dims,
    Float64Array.from({ length: countOf(dims) }, () => Math.fround(one())),
  );
}
