/**
 * What a kernel is tried by: one trial for each, in the files of `trials`, one for each family.
 *
 * @module
 */

import type { Buffer, Call } from "../backend/backend.ts";
import type { World } from "./world.ts";

/** What to run, and what to look at afterwards. */
export interface Tried {
  /** In order, once. */
  readonly calls: readonly Call[];
  /** What the calls change, by the names that the table of tolerances has. Buffers of the world. */
  readonly looks: Readonly<Record<string, Buffer>>;
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
