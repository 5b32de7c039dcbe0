/**
 * Transforms, of which optimizers are composed.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../../backend/backend.ts";

/** Values of a parameter in a step. */
export interface Moment {
  /** Number of the update of this parameter, from 1. */
  readonly count: number;
  /** The learning rate. */
  readonly lr: number;
  /** The weight decay. */
  readonly weightDecay: number;
  /** The momentum. */
  readonly momentum: number;
}

/** The arrays of the parameters, one parameter after another. */
export interface TransformBuffers {
  /** The parameters. */
  readonly parameters: Buffer<"real">;
  /** Their gradients. */
  readonly gradients: Buffer<"real">;
  /** The updates, which begin as the gradients and pass through the transforms. */
  readonly updates: Buffer<"real">;
  /** Returns the state of the transform by one of its names. */
  state(name: string): Buffer<"real">;
  /** Rows of {@linkcode Transform.settings}, by their names, for each parameter. */
  settings(name: string): Buffer<"real">;
}

/** A piece of an optimizer: kernels over all parameters. */
export interface Transform {
  /** Name. */
  readonly name: string;
  /**
   * Names of its state from step to step: a number for each number of the parameters, 0 at the beginning.
   *
   * @default undefined
   */
  readonly keeps?: readonly string[];
  /** Rows of numbers for each parameter in a step, by name. */
  readonly settings: Readonly<Record<string, (moment: Moment) => readonly number[]>>;
  /** True if it changes parameters: the last of an optimizer does, and no other. */
  readonly moves: boolean;
  /** True if it reads `updates`; a transform that reads only `gradients` saves a copy. */
  readonly usesUpdates: boolean;
  /** Kernels. */
  calls(buffers: TransformBuffers): readonly KernelCall[];
}
