/**
 * Objects that hooks with kernels receive.
 *
 * @module
 */

import type { ResidentBatch } from "../batch/resident/resident_batch.ts";

export { outputsOf } from "../models/model.ts";

/** The batch that a hook's kernels run on, and the systems to which the hook applies. */
export interface KernelDevice {
  /** The batch on its backend. It provides the buffers for kernels, for example `state.field("forces")`. */
  readonly state: ResidentBatch;
  /**
   * Returns whether the hook currently applies to a system.
   *
   * @default it applies to all systems
   */
  readonly has?: (system: number) => boolean;
}
