/**
 * Random graphs, and what must hold of their gradients.
 *
 * @module
 */

import { assert } from "@std/assert";
import fc from "fast-check";
import { type PlainTensor, plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { gradient, type Graph, openEvaluator, valueInfo } from "../../../src/onnx/mod.ts";
import { randomFrom } from "../fuzz.ts";
import { f32, numbersOf, runModel } from "../ort.ts";
import { LENGTHS, numbers, RandomGraph } from "./random_graph.ts";
import { RANDOM_OPERATORS } from "./random_operators.ts";

/** Graphs with a number of nodes; fewer if few of the tried nodes fit. */
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

/** Largest accepted difference between a gradient and finite differences, relative to its largest element or 1. */
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
      // What is divided by a length is multiplied by a constant where that is known: in float32.
      assertNear(other, first!, 1e-6, `the gradient by ${x} with ${LENGTHS[k + 1]} lengths`);
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
    const weight = graph.constantOf("f32", numbers(dims, weights).data, dims, "weights");
    return graph.make("ReduceSum", [graph.make("Mul", [names[x]!, weight])], { keepdims: 0 });
  });
  const sum = terms.reduce((sum, term) => graph.make("Add", [sum, term]));
  graph.addOutput(valueInfo(sum, "f32", []));
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

/** onnxruntime takes a graph with its gradient, and makes of it what the evaluator does, in float32. */
export async function assertOnRuntime(
  random: RandomGraph,
  lengths: typeof LENGTHS[number],
): Promise<void> {
  const { feeds, floats } = random, graph = random.graph(lengths);
  const names = Object.values(namesOf(floats, "slope"));
  gradient(graph, { of: "loss", wrt: namesOf(floats, "slope"), unused: "zeros" });
  const expected = openEvaluator(graph).run(feeds, names);
  const inputs = floats.map((x) => [x, f32(feeds[x]!.data, ...feeds[x]!.dims)] as const);
  const found = await runModel(graph.encode(), Object.fromEntries(inputs));
  for (const name of names) {
    const { dims } = found[name]!, data = Float64Array.from(numbersOf(found[name]));
    assertNear({ type: "f32", dims, data }, expected[name]!, 1e-4, `${name} on onnxruntime`);
  }
}

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
      "f32",
      dims,
      Array.from(data, (_, i) =>
        slope((shift) => {
          const moved = data.with(i, data[i]! + shift);
          return evaluator.run({ ...feeds, [x]: plainTensor("f32", dims, moved) }, [of])[of]!
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
