/**
 * What is known of a stream of systems.
 *
 * @module
 */

import type { SavedClock } from "../engine/clock.ts";
import type { SavedSampler } from "./sampler.ts";

/** A slot of the batch, and the system in it. */
export interface StreamSlot {
  /** Its place in the source. */
  readonly index: number;
  /** Atoms. */
  readonly atoms: number;
  /** Edges. */
  readonly edges: number;
  /** Number of steps of the engine after which the system is finished at the latest. */
  readonly endsAt: number;
  /** The step in which the system has finished; -1 while it is active. */
  finishedAt: number;
  /** Whether it has converged. */
  hasConverged: boolean;
  /** Whether the system has been written to a sink, or has diverged and left. */
  isWritten: boolean;
  /** Whether the system has diverged: it is not written to a sink. */
  hasDiverged: boolean;
  /** Whether the system has no forces yet: it gets them in the next step. */
  isEntering: boolean;
}

/** A system that has come apart, and what was wrong. */
export interface StreamFailure {
  /** Its place in the source. */
  readonly sourceIndex: number;
  /** The step of the engine in which it happened; that before the first it did, where it never had forces. */
  readonly step: number;
  /** The message of the error that would have ended the stream. */
  readonly reason: string;
}

/** What is counted. */
export interface StreamCounts {
  /** Systems that have joined. */
  systems: number;
  /** Those that were written. */
  graduated: number;
  /** Those of them that had converged. */
  converged: number;
  /** Those that have come apart. */
  failures: readonly StreamFailure[];
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
