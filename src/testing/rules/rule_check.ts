/**
 * Comparison of gradient rules with finite differences.
 *
 * @module
 */

import { openEvaluator } from "../../onnx/evaluate/evaluator.ts";
import type { PlainTensor } from "../../onnx/evaluate/plain_tensor.ts";
import { gradient } from "../../onnx/grad/gradient.ts";
import { UnsupportedNodeError } from "../../onnx/graph/unsupported_node_error.ts";
import { claim } from "../claims.ts";
import type { RuleCase } from "./rule_case.ts";
import { type RuleGraph, ruleGraph } from "./rule_graph.ts";

/**
 * Asserts that the rule of an operator returns the correct gradient. It compares with central differences in float64,
 * element by element, with variable and with fixed lengths. It also checks the second derivative, because the
 * operators that a rule writes must have rules themselves. The inputs must not be at a kink.
 *
 * @throws {Error} if the gradient is wrong; the message says where an input may be at a kink
 * @throws {TypeError} if the rule returns invalid shares, or more than there are inputs
 * @throws {UnsupportedNodeError} if the operator has no rule
 *
 * @example
 * ```ts
 * import { checkRule } from "@hooke/hooke/testing/onnx";
 *
 * checkRule({ op: "Mul", inputs: [{ dims: [2, 3] }, { dims: [3] }] });
 * ```
 */
export function checkRule(asked: RuleCase): void {
  const differences = checkBoth(asked);
  const inputs = asked.inputs.map((input) =>
    input && { ...input, shape: input.shape ?? input.dims }
  );
  checkBoth({ ...asked, inputs }, differences);
}

/** Finite differences of the loss: a list for each float input, with one derivative per element. */
type Differences = readonly (readonly Slope[])[];

/**
 * Checks the gradient, and the second derivative if it is requested.
 *
 * @param known finite differences of the same operator with the same inputs, which do not depend on the declared
 * shapes
 * @returns finite differences of the operator
 */
function checkBoth(asked: RuleCase, known?: Differences): Differences {
  const first = ruleGraph(asked), differences = known ?? differencesOf(first, asked);
  const slopes = check(first, asked, "gradient", differences);
  if (asked.order !== 1) {
    const second = first.lossOf(slopes);
    check(second, asked, "gradient of the gradient", differencesOf(second, asked));
  }
  return differences;
}

/** Returns finite differences of a graph's `loss`, element by element. */
function differencesOf(
  { graph, feeds, floats, loss }: RuleGraph,
  { operators = {} }: RuleCase,
): Differences {
  const evaluator = openEvaluator(graph.encode(), { operators });
  const lossAt = (name: string, element: number, shift: number): number => {
    const feed = feeds[name]!, data = feed.data.slice();
    data[element]! += shift;
    return evaluator.run({ ...feeds, [name]: { ...feed, data } }, [loss])[loss]!.data[0]!;
  };
  const middle = evaluator.run(feeds, [loss])[loss]!.data[0]!;
  return floats.map((name) => {
    const { data } = feeds[name]!;
    return Array.from(data, (_, i) => slopeOf((shift) => lossAt(name, i, shift), middle));
  });
}

/** Compares the gradients of a graph's `loss` with finite differences. Returns the names of the gradients. */
function check(
  { graph, feeds, floats, loss }: RuleGraph,
  asked: RuleCase,
  what: string,
  differences: Differences,
): readonly string[] {
  const { op, rules, operators = {}, tolerance = 1e-8 } = asked;
  const wrt = Object.fromEntries(floats.map((name) => [name, graph.freshName(`slope_of_${name}`)]));
  named(
    op,
    () =>
      gradient(graph, { of: loss, wrt, unused: "zeros", ...rules === undefined ? {} : { rules } }),
  );
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

/** Runs a differentiation. Errors about missing rules name the operator under test instead of generated names. */
function named(op: string, differentiate: () => unknown): void {
  try {
    differentiate();
  } catch (error) {
    if (!(error instanceof UnsupportedNodeError)) throw error;
    const { node, requirement, place, cause } = error;
    const where = place === undefined ? {} : { place };
    const action = `check the rule of ${op}`;
    throw new UnsupportedNodeError({ action, node, op: error.op, requirement, cause, ...where });
  }
}

/** A derivative by finite differences. */
interface Slope {
  readonly value: number;
  /** True if the value depends on the step size, as near a kink or a jump. */
  readonly isUnsteady: boolean;
}

/** Smallest relative difference of the derivatives at a kink, or absolute difference if they are below 1. */
const UNSTEADY = 1e-4;

/**
 * Returns the derivative of a function at 0 from differences over ±h and ±2h, whose error is of order h⁴. Detects a
 * kink by comparing this derivative with that of half the step size, and the left side with the right.
 */
function slopeOf(f: (shift: number) => number, middle: number, h = 5e-4): Slope {
  const below = f(-h), above = f(h), near = above - below;
  const value = (8 * near - (f(2 * h) - f(-2 * h))) / (12 * h);
  const half = (8 * (f(h / 2) - f(-h / 2)) - near) / (6 * h);
  const left = (middle - below) / h, right = (above - middle) / h;
  const scale = Math.max(1, Math.abs(value));
  // Curvature alone makes the two sides differ in proportion to h.
  const isBent = Math.abs(right - left) > 0.1 * scale;
  return { value, isUnsteady: isBent || !(Math.abs(value - half) <= UNSTEADY * scale) };
}

function compare(
  { dims, data }: PlainTensor,
  expected: readonly Slope[],
  { feed, tolerance, what }: {
    readonly feed: PlainTensor;
    readonly tolerance: number;
    readonly what: string;
  },
): void {
  claim(
    `${dims}` === `${feed.dims}`,
    () => `${what} must have the shape [${feed.dims}]; got [${dims}]`,
  );
  const scale = expected.reduce((most, { value }) => Math.max(most, Math.abs(value)), 1);
  for (const [i, { value, isUnsteady }] of expected.entries()) {
    const kink = isUnsteady
      ? " (finite differences depend on the step size there: the input may be at a kink)"
      : "";
    claim(
      Math.abs(data[i]! - value) <= tolerance * scale,
      () =>
        `${what} must be ${value}, by finite differences, at element ${i} of [${dims}]; got ${
          data[i]
        }${kink}`,
    );
  }
}
