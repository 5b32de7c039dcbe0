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
  /** Names of all inputs; "" for an omitted input. */
  readonly inputs: readonly string[];
  /** Names of all outputs; "" for an omitted output. */
  readonly outputs: readonly string[];
  /** Name of the gradient of each output; `undefined` means zero, because nothing depends on that output. */
  readonly gradients: readonly (string | undefined)[];
  /** Name of the first input; "" if it is omitted. */
  readonly a: string;
  /** Name of the second input; "" if it is omitted. */
  readonly b: string;
  /** Name of the third input; "" if it is omitted. */
  readonly c: string;
  /** Name of the first output. */
  readonly y: string;
  /** Name of the gradient of the first output. It is a tensor of zeros if nothing depends on that output. */
  readonly g: string;
  /**
   * Returns whether the gradient of the input at this index is needed. A rule calls this only before work that a
   * share cannot defer.
   */
  wants(input: number): boolean;
}

/** A share that is zero outside of a range along one axis. Adjacent ranges are joined. */
export interface Placed {
  /** Axis of the range. */
  readonly axis: number;
  /** Start of the range, from 0. */
  readonly start: number;
  /** Length of the range. */
  readonly length: number;
  /**
   * Adds the nodes that compute the share in the range, and returns its name. Its shape is that of the input, with
   * `length` along the axis.
   */
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
