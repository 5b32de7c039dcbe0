import type { GradientRuleSet } from "./rules.ts";

/** Options of {@linkcode gradient}. */
export interface GradientOptions {
  /** Value to differentiate: a single number, or one per system. For several values their sum is differentiated. */
  readonly of: string | readonly string[];
  /**
   * Values with respect to which to differentiate: inputs, parameters or intermediate values. Pass an object from
   * these names to the output names of the gradients, or a list. With a list, each output name is `grad_` followed by
   * the name of the value.
   */
  readonly wrt: readonly string[] | Readonly<Record<string, string>>;
  /**
   * Name of a value with the shape of `of`, such as an additional input. With a cotangent, Σ cotangent · of is
   * differentiated, so `of` may have any shape.
   *
   * @default ones
   */
  readonly cotangent?: string;
  /**
   * Treatment of values on which `of` does not depend: an error, or a gradient of zeros.
   *
   * @default "error"
   */
  readonly unused?: "error" | "zeros";
  /**
   * Rules that differentiate operators.
   *
   * @default gradientRules
   */
  readonly rules?: GradientRuleSet;
}
