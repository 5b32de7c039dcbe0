import type { GpuFrame } from "../gpu_frame.ts";

/** A list that a kernel may find too short. The frame then freezes until the list has grown. */
export interface Growing {
  /** True if it was restored from a checkpoint: the kernel must then run twice, first from the reference positions. */
  isLoaded: boolean;
  /** Makes room for so many entries. Throws a BackendUnavailableError if the device has no such memory. */
  grow(need: number, frame: GpuFrame): void;
}
