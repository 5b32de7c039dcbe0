/** Reason why a backend cannot be used. */
export type UnavailableReason =
  /** There is no such device: no WebGPU, or no adapter. */
  | "absent"
  /** The device was lost, with everything in its memory. */
  | "lost"
  /** The device has too little memory. A smaller batch may fit. */
  | "memory"
  /** The device did not respond in time. */
  | "hung"
  /** The runtime is in a state in which nothing works any more. */
  | "broken";

/** Details of a {@linkcode BackendUnavailableError}. */
export interface Unavailable {
  /** The backend. */
  readonly backend: "webgpu" | "wasm";
  /** The reason. */
  readonly reason: UnavailableReason;
  /** Action under way: `"open"`, `"create"`, `"run"`, `"read"` … */
  readonly during: string;
  /** The original error. */
  readonly cause?: unknown;
}

/**
 * Error thrown if a backend does not exist, or no longer. A program that catches it can go on with another backend:
 * what it needs for that is in host memory or in the last checkpoint, never on the device only.
 *
 * ```ts
 * import { BackendUnavailableError, openGpuDevice } from "@hooke/hooke/backend";
 *
 * try {
 *   (await openGpuDevice({ gpu: undefined })).destroy();
 * } catch (error) {
 *   if (!(error instanceof BackendUnavailableError)) throw error;
 *   error.reason; // "absent"
 * }
 * ```
 */
export class BackendUnavailableError extends Error {
  /** Name by which it is recognized across realms. */
  override readonly name = "BackendUnavailableError";
  /** The backend. */
  readonly backend: "webgpu" | "wasm";
  /** The reason. */
  readonly reason: UnavailableReason;
  /** Action under way. */
  readonly during: string;

  /** Makes an error from a message and its details. */
  constructor(message: string, { backend, reason, during, cause }: Unavailable) {
    super(message, cause === undefined ? undefined : { cause });
    this.backend = backend;
    this.reason = reason;
    this.during = during;
  }
}
