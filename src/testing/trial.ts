/**
 * Trials of kernels: each runs a kernel, and names the results to compare. The files of `trials` have one trial per
 * kernel.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../backend/backend.ts";
import type { World } from "./world.ts";

/**
 * A buffer with results, or a function that returns numbers for each system if a buffer cannot be compared
 * directly, such as a list without a defined order.
 */
export type Look = Buffer | (() => Promise<readonly (readonly number[])[]>);

/** Calls to run, and results to compare. */
export interface Tried {
  /** Calls in order. They run once. */
  readonly calls: readonly KernelCall[];
  /** Results by their names in the table of tolerances. */
  readonly looks: Readonly<Record<string, Look>>;
  /**
   * Names of the results that change for inactive systems, too.
   *
   * @default undefined
   */
  readonly always?: readonly string[];
}

/** Sets up the calls of a kernel on a world, and names the results. */
export type Trial = (world: World) => Tried;

/** Trials by kernel. */
export type Trials = Readonly<Record<string, Trial>>;
