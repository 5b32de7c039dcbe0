/**
 * Which checkpoints are the best.
 *
 * @module
 */

import { isBetter, type MonitorMode } from "../training/monitored.ts";

/** A checkpoint, and what it is ranked by. */
export interface RankedCheckpoint {
  /** Where it is. */
  readonly path: string;
  /** The metric when it was written; NaN ranks behind every number. */
  readonly score: number;
  /** The step at which it was written. */
  readonly step: number;
}

/** The best of some checkpoints, best first; of two that are as good the older one. */
export class CheckpointRanking {
  readonly #most: number;
  readonly #mode: MonitorMode;
  #kept: RankedCheckpoint[] = [];

  /** Keeps `most` of them, all where it is −1. */
  constructor(most: number, mode: MonitorMode) {
    this.#most = most === -1 ? Infinity : most;
    this.#mode = mode;
  }

  /** Those that are kept, best first. */
  get kept(): readonly RankedCheckpoint[] {
    return this.#kept;
  }

  /** Would a checkpoint be kept, beside others on their way? */
  wants(score: number, coming: readonly RankedCheckpoint[]): boolean {
    const better = [...this.#kept, ...coming].filter((each) =>
      !isBetter(score, each.score, this.#mode)
    );
    return better.length < this.#most;
  }

  /** Takes one in that is on disk; answers with those that are to go. */
  add(checkpoint: RankedCheckpoint): readonly RankedCheckpoint[] {
    const at = this.#kept.findIndex(({ score }) => isBetter(checkpoint.score, score, this.#mode));
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, checkpoint);
    return this.#most === Infinity ? [] : this.#kept.splice(this.#most);
  }

  /** Takes back what was kept. */
  restore(kept: readonly RankedCheckpoint[]): void {
    this.#kept = [];
    for (const each of kept) {
      const at = this.#kept.findIndex(({ score }) => isBetter(each.score, score, this.#mode));
      this.#kept.splice(at === -1 ? this.#kept.length : at, 0, each);
    }
  }
}
