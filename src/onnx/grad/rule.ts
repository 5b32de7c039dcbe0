/**
 * Interface of gradient rules.
 *
 * @module
 */

import type { NodeProto } from "../codec/messages.ts";
import type { GradientWriter } from "./gradient_writer.ts";

/**
 * A node in the backward pass, with the gradients of its outputs.
 *
 * Values are referred to by their names in the graph. Most rules need only `a`, `b`, `c`, `y` and `g`.
 */
export interface Step {
  /** The node, whose attributes rules read. */
  readonly node: NodeProto;
  /** Opset version of the graph. */
  readonly opset: number;
  /** All inputs; "" for an omitted one. */
  readonly inputs: readonly string[];
  /** All outputs; "" for an omitted one. */
  readonly outputs: readonly string[];
  /** Gradient of each output; `undefined` means zero, because nothing depends on that output. */
  readonly gradients: readonly (string | undefined)[];
  /** First input, or "". */
  readonly a: string;
  /** Second input, or "". */
  readonly b: string;
  /** Third input, or "". */
  readonly c: string;
  /** First output. */
  readonly y: string;
  /** Gradient of the first output; a tensor of zeros if nothing depends on it. */
  readonly g: string;
  /**
   * Returns whether the gradient of an input is needed. A rule needs this only for work that a share cannot defer.
   */
  wants(input: number): boolean;
}

/** A share that is zero outside of a part along one axis. Adjacent parts are joined. */
export interface Placed {
  /** Axis along which the share covers only a part of the input. */
  readonly axis: number;
  /** Start of the part along the axis. */
  readonly start: number;
  /** Length of the part along the axis. */
  readonly length: number;
  /** Writes the part and returns its name. Its shape is that of the input, with `length` along the axis. */
  readonly part: () => string;
}

/**
 * Contribution of a node to the gradient of one input:
 * - the name of a value
 * - a function that writes the value, which is called only if it is needed
 * - an object whose function `into` adds the contribution to a value of the input's shape and returns the sum, so that
 *   several gathers from one tensor use one buffer
 * - a part of a tensor that is zero elsewhere
 * - `undefined`, which is zero
 *
 * For an optional input use a function, because it is never called if the input is omitted. Any other share of an
 * omitted input is an error.
 *
 * A value may have the shape of the output. If the input was broadcast, the caller sums over the repeated axes.
 */
export type Share =
  | string
  | (() => string)
  | { readonly into: (base: string) => string }
  | Placed
  | undefined;

/**
 * Differentiates one operator: returns the shares of its inputs, in their order, given the gradients of its
 * outputs. An empty list means that the derivative is zero.
 */
export type OperatorGradient = (step: Step, write: GradientWriter) => readonly Share[];
