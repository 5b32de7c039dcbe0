/**
 * State of L-BFGS on a batch.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { LbfgsCount, LbfgsMemory } from "../../kernels/relax/lbfgs_step.ts";
import { LBFGS_COUNTS } from "../engine/state_names.ts";

/** History that a step of L-BFGS reads and updates. */
export interface LbfgsState {
  /** Remembered steps, and the changes of the forces over them. */
  readonly history: Buffer<"real">;
  /** Numbers derived from the history. */
  readonly memory: Buffer<"f64">;
  /** Numbers of remembered steps of each system, and other counters. */
  readonly counts: Buffer<"i32">;
}

/** Creates the history for `depth` pairs. Its arrays have space for one more pair, the current one. */
export function lbfgsState(state: ResidentBatch, depth: number): LbfgsState {
  const rows = depth + 1, level = "system";
  return {
    history: state.state("lbfgsHistory", { dtype: "real", level: "node", width: 6 * rows }),
    memory: state.state("lbfgsMemory", { dtype: "f64", level, width: rows + LbfgsMemory.LENGTH }),
    counts: state.state(LBFGS_COUNTS, { dtype: "i32", level, width: LbfgsCount.LENGTH }),
  };
}

/** Creates the history of the cells for `depth` pairs. */
export function lbfgsCellHistory(state: ResidentBatch, depth: number): Buffer<"real"> {
  const width = 18 * (depth + 1);
  return state.state("lbfgsCellHistory", { dtype: "real", level: "system", width });
}
