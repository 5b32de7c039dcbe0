/**
 * Random graphs of the operators that have rules, and what must hold of their gradients.
 *
 * @module
 */

import { assert } from "@std/assert";
import fc from "fast-check";
import { evaluateNode } from "../../../src/onnx/evaluate/evaluate_node.ts";
import { countOf, type PlainTensor, plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  gradient,
  Graph,
  GraphBuilder,
  type NodeProto,
  openEvaluator,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { randomFrom } from "../fuzz.ts";
import { type Draft, type Known, type Making, RANDOM_OPERATORS } from "./random_operators.ts";

/** One node to try: an operator, what it begins with, and all else by chance. */
interface Pick {
  readonly op: string;
  readonly first: number;
  readonly chance: number;
}

/** What a graph is made from. Nodes that do not fit are left out. */
interface Recipe {
  readonly opset: number;
  readonly inputs: readonly (readonly number[])[];
  readonly chance: number;
  readonly picks: readonly Pick[];
}

/** What graphs say of the lengths of their inputs: a number, one name for equal ones, or a name for each. */
export const LENGTHS = ["fixed", "named", "free"] as const;

/** A graph with one number that is differentiated. */
export class RandomGraph {
  /** How many nodes it has, without those that sum up. */
  readonly size: number;
  /** What is fed. */
  readonly feeds: Readonly<Record<string, PlainTensor>>;
  /** Inputs that are floats. */
  readonly floats: readonly string[];
  readonly #bytes: Uint8Array;
  readonly #lines: readonly string[];

  constructor(recipe: Recipe) {
    const kitchen = new Kitchen(recipe);
    for (const pick of recipe.picks) kitchen.add(pick);
    this.size = kitchen.size;
    kitchen.finish();
    this.feeds = kitchen.feeds;
    this.floats = recipe.inputs.map((_, i) => `x${i}`);
    this.#bytes = kitchen.graph.encode();
    this.#lines = kitchen.graph.nodes.map((node) => kitchen.show(node));
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

/** Where a graph is made: every node is computed at once, and only what stays within bounds is kept. */
class Kitchen {
  readonly graph: Graph;
  readonly feeds: Record<string, PlainTensor> = {};
  readonly #known = new Map<string, PlainTensor>();
  readonly #floats: Known[] = [];

  constructor({ opset, inputs, chance }: Recipe) {
    this.graph = new GraphBuilder("random", { opset }).graph;
    const random = randomFrom(chance);
    for (const [i, dims] of inputs.entries()) this.#input(`x${i}`, floats(dims, random));
  }

  get size(): number {
    return this.graph.nodes.length;
  }

  /** Adds a node, if it fits. */
  add({ op, first, chance }: Pick): void {
    const random = randomFrom(chance), a = this.#floats[first % this.#floats.length]!;
    const draft = RANDOM_OPERATORS[op]!(this.#making(a, random));
    if (draft !== undefined) this.#try(op, draft);
  }

  /** Adds up all that nobody uses, weighed. */
  finish(): void {
    const { graph } = this, random = randomFrom(1);
    const ends = this.#floats.filter(({ name }) => graph.uses(name).length === 0);
    const terms = ends.map(({ name, dims }) => {
      const weights = graph.constantOf("f64", floats(dims, random).data, dims, "weights");
      return graph.make("ReduceSum", [graph.make("Mul", [name, weights])], { keepdims: 0 });
    });
    const sum = terms.reduce((sum, term) => graph.make("Add", [sum, term]));
    graph.add("Identity", [sum], { outputs: ["loss"] });
    graph.addOutput(valueInfo("loss", "f64", []));
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
      float: (value) => constant(plainTensor("f64", [], [value])),
      ints: (values, dims = [values.length]) => {
        const tensor = plainTensor("i64", dims, values);
        return constant(tensor);
      },
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

/** Numbers from −1.5 to 1.5, not too near to 0. */
function floats(dims: readonly number[], random: (n: number) => number): PlainTensor {
  const one = () => (random(2) === 0 ? 1 : -1) * (0.35 + random(1000) / 1000 * 1.15);
  return plainTensor("f64", dims, Array.from({ length: countOf(dims) }, one));
}

/** Graphs of so many nodes; fewer where few of those that are tried fit. */
export function randomGraph(
  nodes: { readonly min: number; readonly max: number },
): fc.Arbitrary<RandomGraph> {
  const pick = fc.record({
    op: fc.constantFrom(...Object.keys(RANDOM_OPERATORS)),
    first: fc.nat(15),
    chance: fc.nat(0xffff),
  });
  const dims = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 });
  const recipe = fc.record({
    opset: fc.constantFrom(18, 19, 20, 21),
    inputs: fc.array(dims, { minLength: 1, maxLength: 3 }),
    chance: fc.nat(0xffff),
    picks: fc.array(pick, { minLength: nodes.min, maxLength: nodes.max, size: "max" }),
  });
  return recipe.map((recipe) => {
    const graph = new RandomGraph(recipe);
    return Object.assign(graph, { [fc.toStringMethod]: () => graph.toString() });
  });
}

/** How far a gradient may be from differences, relative to its largest element or 1. */
const TOLERANCE = 2e-6;

/** The gradient of the loss is what differences say, with lengths that are known and with lengths that are not. */
export function assertGradient(random: RandomGraph): void {
  const { feeds, floats } = random;
  const expected = differences(random.graph("fixed"), "loss", feeds, floats);
  const gradients = LENGTHS.map((lengths) => {
    const graph = random.graph(lengths), names = namesOf(floats, "slope");
    gradient(graph, { of: "loss", wrt: names, unused: "zeros" });
    return openEvaluator(graph.encode()).run(feeds, Object.values(names));
  });
  for (const [i, x] of floats.entries()) {
    const [first, ...others] = gradients.map((each) => each[`slope_${x}`]!);
    assertNear(first!, expected[i]!, TOLERANCE, `the gradient by ${x}`);
    for (const [k, other] of others.entries()) {
      assertNear(other, first!, 1e-12, `the gradient by ${x} with ${LENGTHS[k + 1]} lengths`);
    }
  }
}

/** The gradient of a sum over the gradient is what differences of that sum say. */
export function assertSecondOrder(random: RandomGraph, lengths: typeof LENGTHS[number]): void {
  const { feeds, floats } = random, graph = random.graph(lengths);
  const names = namesOf(floats, "slope"), weights = randomFrom(2);
  gradient(graph, { of: "loss", wrt: names, unused: "zeros" });
  const terms = floats.map((x) => {
    const { dims } = feeds[x]!;
    const weight = graph.constantOf("f64", floatsOf(dims, weights), dims, "weights");
    return graph.make("ReduceSum", [graph.make("Mul", [names[x]!, weight])], { keepdims: 0 });
  });
  const sum = terms.reduce((sum, term) => graph.make("Add", [sum, term]));
  graph.addOutput(valueInfo(sum, "f64", []));
  const expected = differences(graph, sum, feeds, floats);
  const bends = namesOf(floats, "bend");
  gradient(graph, { of: sum, wrt: bends, unused: "zeros" });
  const found = openEvaluator(graph.encode()).run(feeds, Object.values(bends));
  for (const [i, x] of floats.entries()) {
    assertNear(
      found[bends[x]!]!,
      expected[i]!,
      TOLERANCE,
      `the second gradient by ${x}, ${lengths} lengths`,
    );
  }
}

const floatsOf = (dims: readonly number[], random: (n: number) => number) =>
  floats(dims, random).data;

function namesOf(names: readonly string[], prefix: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${prefix}_${name}`]));
}

/** Central differences of a number by each element of each input. */
function differences(
  graph: Graph,
  of: string,
  feeds: Readonly<Record<string, PlainTensor>>,
  floats: readonly string[],
): PlainTensor[] {
  const evaluator = openEvaluator(graph.encode());
  return floats.map((x) => {
    const { dims, data } = feeds[x]!;
    return plainTensor(
      "f64",
      dims,
      Array.from(data, (_, i) =>
        slope((shift) => {
          const moved = data.with(i, data[i]! + shift);
          return evaluator.run({ ...feeds, [x]: plainTensor("f64", dims, moved) }, [of])[of]!
            .data[0]!;
        })),
    );
  });
}

/** The slope of a function at 0, by differences over ±h and ±2h, which leave an error of h⁴. */
function slope(f: (shift: number) => number, h = 2e-4): number {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

function assertNear(
  own: PlainTensor,
  expected: PlainTensor,
  tolerance: number,
  what: string,
): void {
  assert(
    `${own.dims}` === `${expected.dims}`,
    `${what} must have the shape [${expected.dims}]: [${own.dims}]`,
  );
  const scale = expected.data.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  const isNear = own.data.every((x, i) => Math.abs(x - expected.data[i]!) <= tolerance * scale);
  assert(isNear, `${what} must be [${expected.data}]: it is [${own.data}]`);
}
