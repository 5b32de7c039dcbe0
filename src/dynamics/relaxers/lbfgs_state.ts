/**
 * State of L-BFGS on a batch.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { LbfgsCount, LbfgsMemory } from "../../kernels/relax/lbfgs_step.ts";
import { LBFGS_COUNTS } from "../engine/state_names.ts";

/** Buffers with the L-BFGS history of each system, which a step reads and updates. */
export interface LbfgsState {
  /**
   * For each atom, the remembered pairs: its displacement in a step, and the change of its force, three numbers each.
   */
  readonly history: Buffer<"real">;
  /** Numbers derived from the history. */
  readonly memory: Buffer<"f64">;
  /** Number of remembered pairs of each system, and other counters, at the indices of `LbfgsCount`. */
  readonly counts: Buffer<"i32">;
}

/** Creates the buffers for a history of `depth` pairs. They have room for one more pair, the current one. */
export function lbfgsState(state: ResidentBatch, depth: number): LbfgsState {
  const rows = depth + 1, level = "system";
  return {
    history: state.state("lbfgsHistory", { dtype: "real", level: "node", width: 6 * rows }),
    memory: state.state("lbfgsMemory", { dtype: "f64", level, width: rows + LbfgsMemory.LENGTH }),
    counts: state.state(LBFGS_COUNTS, { dtype: "i32", level, width: LbfgsCount.LENGTH }),
  };
}

/**
 * Creates the buffer for the cells' part of a history of `depth` pairs, nine numbers per displacement and per force.
 */
export function lbfgsCellHistory(state: ResidentBatch, depth: number): Buffer<"real"> {
  const width = 18 * (depth + 1);
  return state.state("lbfgsCellHistory", { dtype: "real", level: "system", width });
}
