import { any, type Matcher, overloads } from "../../dispatch/mod.ts";
import type { GradientRule } from "./rule.ts";
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
 * Rules by operator and version: called with `"Add"`, or `"<domain>.<operator>"` for another domain than ai.onnx, and
 * with the version of the graph's operators; answers with the rule. An overload set that knows what its rows give.
 */
export interface GradientRules {
  /** The rule. Throws a NoOverloadError where there is none. */
  (op: string, opset: number): GradientRule;
  /**
   * The set with one more row: what the operator and the version must be (each a value, a class or a predicate), and
   * what gives the rule. Throws an AmbiguousOverloadError for a row that is there already.
   */
  on(
    matchers: readonly [op: Matcher, opset: Matcher],
    rule: (op: string, opset: number) => GradientRule,
  ): GradientRules;
  /** The row that an operator gets, as text, and the others that it could have. */
  explain(op: string, opset: number): string;
}

const FAMILIES: readonly Readonly<Record<string, GradientRule>>[] = [
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

/** The operators that have one of these rules. */
export const RULED_OPERATORS: readonly string[] = FAMILIES.flatMap((family) => Object.keys(family));

/**
 * The gradients of the operators that Hooke knows. An immutable set: `on` answers with one that has more.
 *
 * A row of `[operator, Number]` goes before Hooke's own, which take any version: so a rule that is there is replaced,
 * and one that is not there yet stays when Hooke gets one too. Try rules with `checkRule` of `@hooke/hooke/testing/onnx`.
 *
 * @example A rule for an operator of one's own
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
 * @example Another rule in the place of one: what is rounded goes back as if it were not
 * ```ts
 * import { gradientRules } from "@hooke/hooke/onnx";
 *
 * const rules = gradientRules.on(["Round", Number], () => ({ g }) => [g]);
 * ```
 */
export const gradientRules: GradientRules = FAMILIES.flatMap((family) => Object.entries(family))
  .reduce<GradientRules>(
    (rules, [op, rule]) => rules.on([op, any], () => rule),
    overloads() as unknown as GradientRules,
  );
