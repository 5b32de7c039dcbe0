import { any, defineOverload, type Matcher } from "../../dispatch/mod.ts";
import type { OperatorGradient } from "./rule.ts";
import { ACTIVATIONS } from "./rules/activations.ts";
import { ARITHMETIC } from "./rules/arithmetic.ts";
import { CASTS } from "./rules/casts.ts";
import { CHOICES } from "./rules/choices.ts";
import { CONVOLUTION } from "./rules/convolution.ts";
import { EINSUM } from "./rules/einsum.ts";
import { FUNCTIONS } from "./rules/functions.ts";
import { GATHERING } from "./rules/gathering.ts";
import { GENERATORS } from "./rules/generators.ts";
import { JOINING } from "./rules/joining.ts";
import { MATRICES } from "./rules/matrices.ts";
import { NORMALIZATIONS } from "./rules/normalizations.ts";
import { ORDERING } from "./rules/ordering.ts";
import { PADDING } from "./rules/padding.ts";
import { POOLING } from "./rules/pooling.ts";
import { POWERS } from "./rules/powers.ts";
import { REDUCTIONS } from "./rules/reductions.ts";
import { SCATTERING } from "./rules/scattering.ts";
import { SLICING } from "./rules/slicing.ts";
import { SOFTMAX } from "./rules/softmax.ts";
import { VIEWS } from "./rules/views.ts";

/**
 * Gradient rules by operator and opset: an overload set that is called with `"Add"`, or `"<domain>.<operator>"` for
 * domains other than ai.onnx, and with the version of the graph's operators. It returns the rule.
 */
export interface GradientRuleSet {
  /** Returns the rule of an operator. Throws a NoOverloadError if no row matches. */
  (op: string, opset: number): OperatorGradient;
  /**
   * Returns a set with one more row: conditions on the operator and the version (each a value, a class or a
   * predicate), and a function that returns the rule. Throws an AmbiguousOverloadError if the row exists already.
   */
  on(
    matchers: readonly [op: Matcher, opset: Matcher],
    rule: (op: string, opset: number) => OperatorGradient,
  ): GradientRuleSet;
  /** Describes the row that is chosen for an operator, and the other rows that match. */
  explain(op: string, opset: number): string;
}

const FAMILIES: readonly Readonly<Record<string, OperatorGradient>>[] = [
  ACTIVATIONS,
  ARITHMETIC,
  CASTS,
  CHOICES,
  CONVOLUTION,
  EINSUM,
  FUNCTIONS,
  GATHERING,
  GENERATORS,
  JOINING,
  MATRICES,
  NORMALIZATIONS,
  ORDERING,
  PADDING,
  POOLING,
  POWERS,
  REDUCTIONS,
  SCATTERING,
  SLICING,
  SOFTMAX,
  VIEWS,
];

/** Operators with a built-in rule. */
export const RULED_OPERATORS: readonly string[] = FAMILIES.flatMap((family) => Object.keys(family));

/**
 * Gradient rules of all operators that Hooke supports. The set is immutable: `on` returns a set with one more row.
 *
 * A row of `[operator, Number]` has priority over built-in rows, which accept any version. So it replaces a
 * built-in rule, and stays in effect if a later version of Hooke adds one. Test rules with `checkRule` of
 * `@hooke/hooke/testing/onnx`.
 *
 * @example Add a rule for a custom operator
 * ```ts
 * import { gradientRules } from "@hooke/hooke/onnx";
 *
 * // y = a · sigmoid(1.702 · a)
 * const rules = gradientRules.on(["com.microsoft.QuickGelu", Number], () => ({ a, y, g }, write) => {
 *   const s = write.make("Sigmoid", [write.mul(a, 1.702)]);
 *   const slope = write.add(s, write.mul(write.mul(y, write.sub(1, s)), 1.702));
 *   return [write.mul(g, slope)];
 * });
 * console.log(rules.explain("com.microsoft.QuickGelu", 18));
 * ```
 *
 * @example Replace a rule: pass gradients through Round unchanged
 * ```ts
 * import { gradientRules } from "@hooke/hooke/onnx";
 *
 * const rules = gradientRules.on(["Round", Number], () => ({ g }) => [g]);
 * ```
 */
export const gradientRules: GradientRuleSet = Object.assign(
  (op: string, opset: number): OperatorGradient => builtInRules()(op, opset),
  {
    on: (...row: Parameters<GradientRuleSet["on"]>): GradientRuleSet => builtInRules().on(...row),
    explain: (op: string, opset: number): string => builtInRules().explain(op, opset),
  },
);

let rules: GradientRuleSet | undefined;

/**
 * Returns the set of the built-in rules. It is made at the first call, because each new row is compared with all others:
 * 3 ms for all operators, which most programs do not differentiate.
 */
function builtInRules(): GradientRuleSet {
  return rules ??= FAMILIES.flatMap((family) => Object.entries(family)).reduce<GradientRuleSet>(
    (set, [op, rule]) => set.on([op, any], () => rule),
    defineOverload() as unknown as GradientRuleSet,
  );
}
