import type { GpuFrame } from "../gpu_frame.ts";

/** A list that may be too short for a kernel. If it is, its frame freezes until the list has grown. */
export interface Growing {
  /**
   * True if the list was restored from a checkpoint. The kernel must then run twice, first from the reference
   * positions.
   */
  isLoaded: boolean;
  /** Makes room for `need` entries. Throws a BackendUnavailableError if the device lacks the memory. */
  grow(need: number, frame: GpuFrame): void;
}
