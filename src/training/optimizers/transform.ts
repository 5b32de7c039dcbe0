/**
 * The interface of transforms, of which optimizers are composed.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../../backend/backend.ts";

/** Rates of a parameter in one step. */
export interface Moment {
  /** Number of updates of this parameter including the current one, so it begins with 1. */
  readonly count: number;
  /** The learning rate. */
  readonly lr: number;
  /** The weight decay. */
  readonly weightDecay: number;
  /** The momentum. */
  readonly momentum: number;
}

/** Arrays with one section per parameter, which transforms read and write. */
export interface TransformBuffers {
  /** The parameters. */
  readonly parameters: Buffer<"real">;
  /** The gradients of the parameters. */
  readonly gradients: Buffer<"real">;
  /** The updates. They begin as the gradients, and each transform changes them in turn. */
  readonly updates: Buffer<"real">;
  /** Returns an array of the transform's state, by a name in `keeps`. */
  state(name: string): Buffer<"real">;
  /**
   * Returns a buffer with the results of the function `name` in {@linkcode Transform.settings}, one row per
   * parameter.
   */
  settings(name: string): Buffer<"real">;
}

/** A transform of an optimizer: kernels that run over all parameters. */
export interface Transform {
  /** Name of the transform. */
  readonly name: string;
  /**
   * Names of the arrays that the transform keeps from step to step. Each has a number for each element of the
   * parameters, which is 0 at the beginning.
   *
   * @default undefined
   */
  readonly keeps?: readonly string[];
  /** Functions that return numbers for a parameter in a step, such as its learning rate, by name. */
  readonly settings: Readonly<Record<string, (moment: Moment) => readonly number[]>>;
  /** True if the transform updates the parameters. Only the last transform of an optimizer may do so. */
  readonly moves: boolean;
  /** True if the transform uses `updates`. If no transform of an optimizer does, the gradients are not copied. */
  readonly usesUpdates: boolean;
  /** Returns the calls of the kernels. */
  calls(buffers: TransformBuffers): readonly KernelCall[];
}
