import { any, type Overload, overloads } from "../../dispatch/mod.ts";
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
 * with the version of the graph's operators; answers with the rule.
 */
export type GradientRules = Overload<readonly [op: string, opset: number], GradientRule>;

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

/**
 * The gradients of the operators that Hooke knows. An immutable set: `on` answers with one that has more.
 *
 * @example A rule for an operator of one's own
 * ```ts
 * import { any } from "@hooke/hooke/dispatch";
 * import { gradientRules } from "@hooke/hooke/onnx";
 *
 * // y = a · sigmoid(1.702 · a)
 * const rules = gradientRules.on(["com.microsoft.QuickGelu", any], () => ({ a, y, g }, write) => {
 *   const s = write.make("Sigmoid", [write.mul(a, 1.702)]);
 *   const slope = write.add(s, write.mul(write.mul(y, write.sub(1, s)), 1.702));
 *   return [write.mul(g, slope)];
 * });
 * console.log(rules.explain("com.microsoft.QuickGelu", 18));
 * ```
 */
export const gradientRules: GradientRules = FAMILIES.flatMap((family) => Object.entries(family))
  .reduce<GradientRules>(
    (rules, [op, rule]) => rules.on([op, any], () => rule) as GradientRules,
    overloads() as unknown as GradientRules,
  );
