/**
 * What optimizers are composed of.
 *
 * @module
 */

import type { Buffer, Call } from "../../backend/backend.ts";

/** What a parameter is told of a step. */
export interface Moment {
  /** Which update of this parameter it is, the first being 1. */
  readonly count: number;
  /** The learning rate. */
  readonly lr: number;
  /** The weight decay. */
  readonly weightDecay: number;
  /** The momentum. */
  readonly momentum: number;
}

/** Where the numbers are, all parameters one after another. */
export interface TransformBuffers {
  /** The parameters. */
  readonly parameters: Buffer<"real">;
  /** Their gradients. */
  readonly gradients: Buffer<"real">;
  /** What becomes of the gradients on the way: theirs to begin with. */
  readonly updates: Buffer<"real">;
  /** What the transform keeps, by one of its names. */
  state(name: string): Buffer<"real">;
  /** Rows of {@linkcode Transform.settings}, by their names, for each parameter. */
  settings(name: string): Buffer<"real">;
}

/** A piece of an optimizer: kernels over all parameters. */
export interface Transform {
  /** What it is called. */
  readonly name: string;
  /**
   * What it keeps from step to step, a number for each parameter's: names. 0 to begin with.
   *
   * @default none
   */
  readonly keeps?: readonly string[];
  /** Rows of numbers that each parameter is told at a step, by name. */
  readonly settings: Readonly<Record<string, (moment: Moment) => readonly number[]>>;
  /** True if it changes parameters: the last of an optimizer does, and no other. */
  readonly moves: boolean;
  /** True if it looks at `updates`; one that looks at `gradients` alone spares a copy. */
  readonly usesUpdates: boolean;
  /** Its kernels. */
  calls(buffers: TransformBuffers): readonly Call[];
}
