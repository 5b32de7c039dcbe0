/**
 * How an operator is differentiated: what a rule is given, and what it answers with.
 *
 * @module
 */

import type { NodeProto } from "../codec/messages.ts";
import type { GradientWriter } from "./gradient_writer.ts";

/**
 * A node on the way back, and what has come back to it: for each output the gradient of what is differentiated with
 * respect to it.
 *
 * Values are given by their names in the graph. `a`, `b`, `c`, `y` and `g` are what most rules need.
 */
export interface Step {
  /** The node itself: attributes are read from it. */
  readonly node: NodeProto;
  /** The version of the graph's operators. */
  readonly opset: number;
  /** All inputs; "" for one that is left out. */
  readonly inputs: readonly string[];
  /** All outputs; "" for one that is left out. */
  readonly outputs: readonly string[];
  /** What has come back for each output; `undefined` where nothing has, and the gradient is zero. */
  readonly gradients: readonly (string | undefined)[];
  /** The first input; "" where there is none. */
  readonly a: string;
  /** The second input; "" where there is none. */
  readonly b: string;
  /** The third input; "" where there is none. */
  readonly c: string;
  /** The first output. */
  readonly y: string;
  /** What has come back for the first output: zeros where nothing has. */
  readonly g: string;
  /** Is the gradient of this input needed? Only for work that shares cannot put off. */
  wants(input: number): boolean;
}

/** A part of what an input gets, the rest of which is zero: parts beside each other are put together. */
export interface Placed {
  /** The axis along which it is a part. */
  readonly axis: number;
  /** Its first place along the axis, from 0 on. */
  readonly start: number;
  /** Its length along the axis. */
  readonly length: number;
  /** Writes it: of the input's shape but along the axis. */
  readonly part: () => string;
}

/**
 * What one input gets: a value, or how to write it (then it is written only where it is needed), or how to add it into
 * a value of the input's shape, so that what several gathers of one tensor send back goes into one buffer, or a part
 * that was cut out. `undefined` is zero.
 *
 * For an input that may be left out it is best a function, which is never called then; any other share without an
 * input is an error.
 *
 * A value may have the shape of the output: that the input was repeated to that shape is undone by the caller.
 */
export type Share =
  | string
  | (() => string)
  | { readonly into: (base: string) => string }
  | Placed
  | undefined;

/**
 * Differentiates one operator: from what has come back to a node's outputs, what goes on to its inputs, in their order.
 * An empty list stops there: the operator's result does not change when its inputs change a little.
 */
export type GradientRule = (step: Step, write: GradientWriter) => readonly Share[];
