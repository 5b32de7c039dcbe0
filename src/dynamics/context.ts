/**
 * The batch, as hooks that provide kernels see it.
 *
 * @module
 */

import type { ResidentBatch } from "../batch/resident/resident_batch.ts";

export { outputsOf } from "../models/model.ts";

/** The batch and the systems that a hook's kernels run on. */
export interface KernelDevice {
  /** The batch on its backend: a kernel takes `state.field("forces")`. */
  readonly state: ResidentBatch;
  /**
   * Returns whether the hook currently applies to a system.
   *
   * @default it applies to all systems
   */
  readonly has?: (system: number) => boolean;
}
