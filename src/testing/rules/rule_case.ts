import type { Attributes } from "../../onnx/codec/attributes.ts";
import type { ElementType } from "../../onnx/codec/element_type.ts";
import type { Operators } from "../../onnx/evaluate/operator.ts";
import type { GradientRuleSet } from "../../onnx/grad/rules.ts";

/** An input of the operator under test. */
export interface RuleInput {
  /** Shape of the input. */
  readonly dims: readonly number[];
  /**
   * Elements of the input, in row-major order.
   *
   * @default random numbers between −1.5 and −0.4, or 0.4 and 1.5
   */
  readonly data?: readonly number[];
  /**
   * Element type of the input.
   *
   * @default "f64"
   */
  readonly type?: ElementType;
  /**
   * True to write the input into the graph as a constant instead of feeding it.
   *
   * @default false
   */
  readonly isConstant?: boolean;
  /**
   * Declared shape of the input, with names for variable lengths.
   *
   * @default all variable, with different names for different lengths
   */
  readonly shape?: readonly (number | string)[];
}

/** An operator whose rule is tested. */
export interface RuleCase {
  /** Name of the operator; `"<domain>.<operator>"` for domains other than ai.onnx. */
  readonly op: string;
  /**
   * Attributes of the operator.
   *
   * @default {}
   */
  readonly attributes?: Attributes;
  /** Inputs of the operator, in order; `undefined` omits an optional one. */
  readonly inputs: readonly (RuleInput | undefined)[];
  /**
   * Number of outputs of the operator.
   *
   * @default 1
   */
  readonly outputs?: number;
  /**
   * Positions of the outputs that are not differentiated, such as the indices of TopK.
   *
   * @default undefined
   */
  readonly discrete?: readonly number[];
  /**
   * Highest order of differentiation.
   *
   * @default 2
   */
  readonly order?: 1 | 2;
  /**
   * Version of ai.onnx, from 18 to 21.
   *
   * @default 18
   */
  readonly opset?: number;
  /**
   * Largest accepted error of a gradient, relative to the largest finite difference, or to 1.
   *
   * @default 1e-8
   */
  readonly tolerance?: number;
  /** Custom rules to test; by default `gradientRules`. */
  readonly rules?: GradientRuleSet;
  /** Implementations of custom operators. */
  readonly operators?: Operators;
}
