/**
 * What is known of a stream of systems.
 *
 * @module
 */

import type { SavedClock } from "./clock.ts";
import type { SavedSampler } from "./sampler.ts";

/** A place of the batch, and who is in it. */
export interface StreamSlot {
  /** Its place in the source. */
  readonly index: number;
  /** Atoms. */
  readonly atoms: number;
  /** Edges. */
  readonly edges: number;
  /** When the engine has done so many steps it is done at the latest. */
  readonly endsAt: number;
  /** The step in which it has come to rest; -1 while it moves. */
  restedAt: number;
  /** Whether it has converged. */
  hasConverged: boolean;
  /** Whether a sink has it. */
  isWritten: boolean;
  /** Whether it has no forces yet: it gets them in the next step. */
  isJoining: boolean;
}

/** What is counted. */
export interface StreamCounts {
  /** Systems that have joined. */
  systems: number;
  /** Those that were written. */
  graduated: number;
  /** Those of them that had converged. */
  converged: number;
  /** Steps of the engine. */
  steps: number;
  /** How often others have joined. */
  refills: number;
  /** How full the batch was, summed over steps until the source was dry. */
  filled: number;
  /** How many steps those were. */
  fillable: number;
}

/** A stream as plain data. */
export interface SavedStream {
  /** How far the sampler had come. */
  readonly sampler: SavedSampler;
  /** Who is in each place. */
  readonly slots: readonly StreamSlot[];
  /** What was counted. */
  readonly counts: Readonly<StreamCounts>;
  /** How many systems each sink held. */
  readonly lengths: readonly number[];
  /** What times count from. */
  readonly clock: SavedClock;
}
