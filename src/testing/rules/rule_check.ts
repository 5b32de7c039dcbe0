/**
 * Gradient rules, against differences.
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
 * Asserts that the rule of an operator gives the gradient: against central differences of what the operator computes,
 * in float64, element by element, with lengths that are free and with fixed ones; and, as rules are made of operators
 * that have rules, the gradient of that gradient too. The numbers must not be at a kink.
 *
 * @throws {Error} where they differ; it says where the numbers may be at a kink
 * @throws {TypeError} where the rule answers with what are no shares, or with more than there are inputs
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
  const differences = checkBoth(asked);
  const inputs = asked.inputs.map((input) =>
    input && { ...input, shape: input.shape ?? input.dims }
  );
  checkBoth({ ...asked, inputs }, differences);
}

/** The slopes by differences of each input that is a float. */
type Differences = readonly (readonly Slope[])[];

/**
 * Checks the gradient, and the gradient of it unless that is not asked for.
 *
 * @param known those of the same operator of the same numbers, whatever is known of its lengths
 * @returns the differences of the operator itself
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

/** Returns the slopes of a graph's `loss` by differences, element by element. */
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

/** Compares the gradients of a graph's `loss` with differences of it; answers with their names. */
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

/** What an error of a missing rule says of names that are nobody's is of the operator that is checked. */
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

/** A slope by differences. */
interface Slope {
  readonly value: number;
  /** Does it depend on how far apart the numbers are, as it does beside a kink or a jump? */
  readonly isUnsteady: boolean;
}

/** The least that slopes at a kink differ by, relative to the larger, or to 1. */
const UNSTEADY = 1e-4;

/**
 * The slope of a function at 0, by differences over ±h and ±2h, which leave an error of h⁴: with another over half the
 * distances, and from one side and the other.
 */
function slopeOf(f: (shift: number) => number, middle: number, h = 5e-4): Slope {
  const below = f(-h), above = f(h), near = above - below;
  const value = (8 * near - (f(2 * h) - f(-2 * h))) / (12 * h);
  const half = (8 * (f(h / 2) - f(-h / 2)) - near) / (6 * h);
  const left = (middle - below) / h, right = (above - middle) / h;
  const scale = Math.max(1, Math.abs(value));
  // Curvature alone makes the sides differ by the distance times it.
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
    () => `${what} must have its shape [${feed.dims}]: it is [${dims}]`,
  );
  const scale = expected.reduce((most, { value }) => Math.max(most, Math.abs(value)), 1);
  for (const [i, { value, isUnsteady }] of expected.entries()) {
    const kink = isUnsteady
      ? " (differences are not steady there: the numbers may be at a kink)"
      : "";
    claim(
      Math.abs(data[i]! - value) <= tolerance * scale,
      () =>
        `${what} must be ${value}, by differences, at element ${i} of [${dims}]: it is ${
          data[i]
        }${kink}`,
    );
  }
}
