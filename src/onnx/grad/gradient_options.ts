import type { GradientRules } from "./rules.ts";

/** What to differentiate, and by what. */
export interface GradientOptions {
  /** The value that is differentiated, or several, of which the sum is: a single number, or one per system. */
  readonly of: string | readonly string[];
  /**
   * What it is differentiated by: inputs, parameters or values in between. A list, or names with the names that their
   * gradients come out under; without one it is `grad_` and the name.
   */
  readonly wrt: readonly string[] | Readonly<Record<string, string>>;
  /**
   * Differentiates Σ cotangent · of instead, so that `of` may have any shape: the name of a value of its shape, such as
   * an input added for it.
   *
   * @default ones
   */
  readonly cotangent?: string;
  /**
   * What comes out for what `of` does not depend on: an error, or zeros.
   *
   * @default "error"
   */
  readonly unused?: "error" | "zeros";
  /**
   * How each operator is differentiated.
   *
   * @default gradientRules
   */
  readonly rules?: GradientRules;
}
