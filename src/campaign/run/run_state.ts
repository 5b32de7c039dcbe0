/**
 * Saved runs as bytes, in files and in queues.
 *
 * @module
 */

import type { CheckpointContent } from "../../checkpoint/mod.ts";
import type { SavedRun } from "./saved_run.ts";

/** Kind and schema of the checkpoints of campaigns. */
export const RUN_STATE = { kind: "campaign run", schema: 1 } as const;

/** Returns the content of the checkpoint of a run. */
export function contentOf(run: SavedRun): CheckpointContent {
  return { ...RUN_STATE, data: run };
}
