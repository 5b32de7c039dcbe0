import type { GpuFrame } from "../gpu_frame.ts";

/** A list that a kernel may find too short: then the device freezes, and the list grows. */
export interface Growing {
  /** Loaded from a checkpoint: the kernel must run twice, once from where atoms were. */
  isLoaded: boolean;
  /** Makes room for so many. Throws a BackendUnavailableError where the device has no such memory. */
  grow(need: number, frame: GpuFrame): void;
}
