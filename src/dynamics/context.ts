/**
 * The batch, as hooks that provide kernels see it.
 *
 * @module
 */

import type { ResidentBatch } from "../batch/resident/resident_batch.ts";

export { outputsOf } from "../models/model.ts";

/** Where a hook's kernels are to run. */
export interface KernelDevice {
  /** The batch on its backend: `state.field("forces")` is what a kernel takes. */
  readonly state: ResidentBatch;
  /**
   * Whether a system is of those that the hook is for, as it is when it is asked.
   *
   * @default all are
   */
  readonly has?: (system: number) => boolean;
}
