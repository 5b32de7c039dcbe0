/**
 * Gradient rules, against differences.
 *
 * @module
 */

import { openEvaluator } from "../onnx/evaluate/evaluator.ts";
import type { PlainTensor } from "../onnx/evaluate/plain_tensor.ts";
import { gradient } from "../onnx/grad/gradient.ts";
import { claim } from "./claims.ts";
import type { RuleCase } from "./rule_case.ts";
import { type RuleGraph, ruleGraph } from "./rule_graph.ts";

/**
 * Asserts that the rule of an operator gives the gradient: against central differences of what the operator computes,
 * in float64, element by element, with lengths that are free and with fixed ones; and, as rules are made of operators that have rules, the gradient of that gradient
 * too. The numbers must not be at a kink.
 *
 * @throws {Error} where they differ
 * @throws {UnsupportedNodeError} where there is no rule
 *
 * @example
 * ```ts
 * import { checkRule } from "@hooke/hooke/testing/onnx";
 *
 * checkRule({ op: "Mul", inputs: [{ dims: [2, 3] }, { dims: [3] }] });
 * ```
 */
export function checkRule(asked: RuleCase): void {
  checkBoth(asked);
  const inputs = asked.inputs.map((input) =>
    input && { ...input, shape: input.shape ?? input.dims }
  );
  checkBoth({ ...asked, inputs });
}

function checkBoth(asked: RuleCase): void {
  const first = ruleGraph(asked);
  const slopes = check(first, asked, "gradient");
  if (asked.order !== 1) check(first.lossOf(slopes), asked, "gradient of the gradient");
}

/** Compares the gradients of a graph's `loss` with differences of it; answers with their names. */
function check(
  { graph, feeds, floats, loss }: RuleGraph,
  asked: RuleCase,
  what: string,
): readonly string[] {
  const { op, rules, operators = {}, tolerance = 1e-8 } = asked;
  const evaluator = openEvaluator(graph.encode(), { operators });
  const lossAt = (name: string, element: number, shift: number): number => {
    const feed = feeds[name]!, data = feed.data.slice();
    data[element]! += shift;
    return evaluator.run({ ...feeds, [name]: { ...feed, data } }, [loss])[loss]!.data[0]!;
  };
  const differences = floats.map((name) => {
    const { data } = feeds[name]!;
    return Float64Array.from(data, (_, i) => slope((shift) => lossAt(name, i, shift)));
  });
  const wrt = Object.fromEntries(floats.map((name) => [name, graph.freshName(`slope_of_${name}`)]));
  gradient(graph, { of: loss, wrt, unused: "zeros", ...rules === undefined ? {} : { rules } });
  const slopes = openEvaluator(graph.encode(), { operators }).run(feeds, Object.values(wrt));
  for (const [i, name] of floats.entries()) {
    compare(slopes[wrt[name]!]!, differences[i]!, {
      feed: feeds[name]!,
      tolerance,
      what: `${op}: the ${what} by ${name}`,
    });
  }
  return Object.values(wrt);
}

/** The slope of a function at 0, by differences over ±h and ±2h, which leave an error of h⁴. */
function slope(f: (shift: number) => number, h = 5e-4): number {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

function compare(
  { dims, data }: PlainTensor,
  expected: Float64Array,
  { feed, tolerance, what }: {
    readonly feed: PlainTensor;
    readonly tolerance: number;
    readonly what: string;
  },
): void {
  claim(
    `${dims}` === `${feed.dims}`,
    () => `${what} must have its shape [${feed.dims}]: it is [${dims}]`,
  );
  const scale = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  for (const [i, x] of expected.entries()) {
    claim(
      Math.abs(data[i]! - x) <= tolerance * scale,
      () => `${what} must be ${x}, by differences, at element ${i} of [${dims}]: it is ${data[i]}`,
    );
  }
}
