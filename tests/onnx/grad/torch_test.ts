/** What operators make, and their gradients, against PyTorch, in float64: first and second order. */
import { assert } from "@std/assert";
import { openEvaluator } from "../../../src/onnx/evaluate/evaluator.ts";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { gradient } from "../../../src/onnx/grad/gradient.ts";
import type { Graph } from "../../../src/onnx/graph.ts";
import { type PlainTensors, type TorchCase, torchCases } from "./torch_cases.ts";

for (const [op, cases] of Map.groupBy(torchCases(), ({ op }) => op)) {
  Deno.test(`${op}: what it makes, its gradient and the gradient of that are PyTorch's`, () => {
    const wrong = cases.flatMap((
      each,
    ) => [...complaints(each, "named"), ...complaints(each, "fixed")]);
    assert(wrong.length === 0, `${wrong.length} differences\n${wrong.join("\n")}`);
  });
}

/** What is not as PyTorch has it. */
function complaints(each: TorchCase, lengths: "named" | "fixed"): string[] {
  try {
    return differences(each, each.graph(lengths)).map((what) =>
      `${each.name}, ${lengths}: ${what}`
    );
  } catch (error) {
    return [`${each.name}, ${lengths}: ${error}`];
  }
}

/** Differentiates twice, and compares on the way. */
function differences(each: TorchCase, graph: Graph): string[] {
  const { feeds, tolerance, outputs, wrt, first, second } = each;
  const compare = (expected: PlainTensors, named: (name: string) => string) => {
    const names = Object.keys(expected).map(named);
    const made = openEvaluator(graph).run(fedTo(graph, feeds), names);
    return Object.values(expected).flatMap((tensor, i) =>
      difference(names[i]!, made[names[i]!]!, tensor, tolerance)
    );
  };
  const differentiate = (of: string, by: readonly string[], named: (name: string) => string) => {
    const outputs = Object.fromEntries(by.map((name) => [name, named(name)]));
    return gradient(graph, { of, wrt: outputs, unused: "zeros" }).names;
  };
  const found = compare(outputs, (name) => name);
  const gradients = differentiate("loss", wrt, firstOf);
  found.push(...compare(first, firstOf));
  if (second === undefined) return found;
  each.weigh(graph, gradients);
  differentiate("weighed", Object.keys(second), secondOf);
  return [...found, ...compare(second, secondOf)];
}

const firstOf = (name: string) => `first_${name}`;
const secondOf = (name: string) => `second_${name}`;

/** A sentence where numbers, or what they are, differ; NaN differs from all. */
function difference(
  name: string,
  own: PlainTensor,
  right: PlainTensor,
  tolerance: number,
): string[] {
  const [is, must] = [own, right].map(({ type, dims }) => `${type}[${dims}]`);
  if (is !== must) return [`${name} is ${is} and must be ${must}`];
  const largest = right.data.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const limit = tolerance * (largest || 1);
  const isNear = (x: number, i: number) => Math.abs(x - right.data[i]!) <= limit;
  return own.data.every(isNear) ? [] : [`${name} is [${own.data}] and must be [${right.data}]`];
}

/** Of all feeds those that a graph takes: it grows. */
function fedTo({ inputs }: Graph, feeds: PlainTensors): PlainTensors {
  return Object.fromEntries(inputs.map(({ name }) => [name, feeds[name]!]));
}
