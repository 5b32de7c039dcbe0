/**
 * Ranking of checkpoints.
 *
 * @module
 */

import { isBetter, type MonitorMode } from "../training/monitored.ts";

/** A checkpoint with its score. */
export interface RankedCheckpoint {
  /** Path of the file. */
  readonly path: string;
  /** Value of the metric when the checkpoint was written. NaN ranks last. */
  readonly score: number;
  /** Step at which the checkpoint was written. */
  readonly step: number;
}

/** The best checkpoints, the best one first. If two scores are equal, the older checkpoint ranks first. */
export class CheckpointRanking {
  readonly #most: number;
  readonly #mode: MonitorMode;
  #kept: RankedCheckpoint[] = [];

  /** Keeps `most` checkpoints, or all if it is −1. */
  constructor(most: number, mode: MonitorMode) {
    this.#most = most === -1 ? Infinity : most;
    this.#mode = mode;
  }

  /** Kept checkpoints, the best one first. */
  get kept(): readonly RankedCheckpoint[] {
    return this.#kept;
  }

  /** Returns whether a checkpoint with this score would be kept once the pending checkpoints are written. */
  wouldKeep(score: number, pending: readonly RankedCheckpoint[]): boolean {
    const better = [...this.#kept, ...pending].filter((each) =>
      !isBetter(score, each.score, this.#mode)
    );
    return better.length < this.#most;
  }

  /** Adds a checkpoint that is on disk. Returns the checkpoints to delete. */
  add(checkpoint: RankedCheckpoint): readonly RankedCheckpoint[] {
    const at = this.#kept.findIndex(({ score }) => isBetter(checkpoint.score, score, this.#mode));
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, checkpoint);
    return this.#most === Infinity ? [] : this.#kept.splice(this.#most);
  }

  /** Replaces the kept checkpoints by the given ones, sorted by rank. */
  restore(kept: readonly RankedCheckpoint[]): void {
    this.#kept = [];
    for (const each of kept) {
      const at = this.#kept.findIndex(({ score }) => isBetter(each.score, score, this.#mode));
      this.#kept.splice(at === -1 ? this.#kept.length : at, 0, each);
    }
  }
}
