/** Reason why a backend cannot be used. */
export type UnavailableReason =
  /** The device does not exist: no WebGPU, or no adapter. */
  | "absent"
  /** The device was lost, with everything in its memory. */
  | "lost"
  /** The device has too little memory. A smaller batch may fit. */
  | "memory"
  /** The device did not respond in time. */
  | "hung"
  /** The device lacks a limit or a feature that a kernel needs. */
  | "limits"
  /** The runtime has failed and cannot recover. */
  | "broken";

/** Details of a {@linkcode BackendUnavailableError}. */
export interface Unavailable {
  /** The backend that failed. */
  readonly backend: "webgpu" | "wasm";
  /** The reason why it cannot be used. */
  readonly reason: UnavailableReason;
  /** The action that failed, such as `"open"`, `"create"`, `"run"` or `"read"`. */
  readonly during: string;
  /** The original error. */
  readonly cause?: unknown;
}

/**
 * Error thrown if a backend does not exist, or has failed. A program that catches it can continue on another backend.
 * The data for this are in host memory or in the last checkpoint, never only on the device.
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
  /** Name of the error class, by which it can be recognized across realms. */
  override readonly name = "BackendUnavailableError";
  /** The backend that failed. */
  readonly backend: "webgpu" | "wasm";
  /** The reason why the backend cannot be used. */
  readonly reason: UnavailableReason;
  /** The action that failed, such as `"open"`, `"create"`, `"run"` or `"read"`. */
  readonly during: string;

  /** Creates an error from a message and its details. */
  constructor(message: string, { backend, reason, during, cause }: Unavailable) {
    super(message, cause === undefined ? undefined : { cause });
    this.backend = backend;
    this.reason = reason;
    this.during = during;
  }
}
