/**
 * What a kernel is tried by: one trial for each, in the files of `trials`, one for each family.
 *
 * @module
 */

import type { Buffer, Call } from "../backend/backend.ts";
import type { World } from "./world.ts";

/**
 * A buffer of the world; or what reads numbers for each system, where what is looked at has no shape of its own, as a
 * list whose order is free.
 */
export type Look = Buffer | (() => Promise<readonly (readonly number[])[]>);

/** What to run, and what to look at afterwards. */
export interface Tried {
  /** In order, once. */
  readonly calls: readonly Call[];
  /** What the calls change, by the names that the table of tolerances has. */
  readonly looks: Readonly<Record<string, Look>>;
  /**
   * Which of these change for systems at rest, too.
   *
   * @default none
   */
  readonly always?: readonly string[];
}

/** How a kernel is tried on a world. */
export type Trial = (world: World) => Tried;

/** Kernel → how it is tried. */
export type Trials = Readonly<Record<string, Trial>>;
