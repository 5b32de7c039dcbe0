import type { Attributes } from "../../onnx/codec/attributes.ts";
import type { ElementType } from "../../onnx/codec/element_type.ts";
import type { Operators } from "../../onnx/evaluate/operator.ts";
import type { GradientRules } from "../../onnx/grad/rules.ts";

/** An input of an operator whose rule is tried. */
export interface RuleInput {
  /** Its lengths. */
  readonly dims: readonly number[];
  /**
   * Its numbers.
   *
   * @default numbers between −1.5 and −0.4, or 0.4 and 1.5
   */
  readonly data?: readonly number[];
  /**
   * The type of its elements.
   *
   * @default "f64"
   */
  readonly type?: ElementType;
  /**
   * Is it written into the graph, instead of being fed?
   *
   * @default false
   */
  readonly isConstant?: boolean;
  /**
   * Lengths as the graph has them: names where they are free.
   *
   * @default all free, with names of their own where lengths differ
   */
  readonly shape?: readonly (number | string)[];
}

/** An operator whose rule is tried. */
export interface RuleCase {
  /** Its name; `"<domain>.<operator>"` for another domain than ai.onnx. */
  readonly op: string;
  /**
   * Its attributes.
   *
   * @default {}
   */
  readonly attributes?: Attributes;
  /** In order; `undefined` leaves one out. */
  readonly inputs: readonly (RuleInput | undefined)[];
  /**
   * How many outputs it has.
   *
   * @default 1
   */
  readonly outputs?: number;
  /**
   * Outputs that are not differentiated, such as indices.
   *
   * @default none
   */
  readonly discrete?: readonly number[];
  /**
   * How many times it is differentiated.
   *
   * @default 2
   */
  readonly order?: 1 | 2;
  /**
   * The version of the operators.
   *
   * @default 18
   */
  readonly opset?: number;
  /**
   * How far the gradient may be off, relative to the largest of the differences, or to 1.
   *
   * @default 1e-8
   */
  readonly tolerance?: number;
  /** Rules, where there are some of one's own. */
  readonly rules?: GradientRules;
  /** What operators of one's own compute. */
  readonly operators?: Operators;
}
