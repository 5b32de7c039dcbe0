/** Why a backend cannot be used, for those who want to do something about it. */
export type UnavailableReason =
  /** There is no such device here: no WebGPU, no adapter. */
  | "absent"
  /** The device was there and is gone; what was in its memory is gone with it. */
  | "lost"
  /** It has too little memory for this. A smaller batch may fit. */
  | "memory"
  /** It did not answer in time. */
  | "hung"
  /** The runtime is in a state in which nothing works any more. */
  | "broken";

/** What {@linkcode BackendUnavailableError} is made of. */
export interface Unavailable {
  /** Which backend. */
  readonly backend: "webgpu" | "wasm";
  /** Why. */
  readonly reason: UnavailableReason;
  /** In the middle of what: `"open"`, `"create"`, `"run"`, `"read"` … */
  readonly during: string;
  /** The original error. */
  readonly cause?: unknown;
}

/**
 * A backend that is not there, or no longer. Whoever catches it can go on with another one: what is needed for that
 * is in host memory or in the last checkpoint, never on the device.
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
  /** By which it is known across realms. */
  override readonly name = "BackendUnavailableError";
  /** Which backend. */
  readonly backend: "webgpu" | "wasm";
  /** Why. */
  readonly reason: UnavailableReason;
  /** In the middle of what. */
  readonly during: string;

  /** A message, and what a program wants to know of it. */
  constructor(message: string, { backend, reason, during, cause }: Unavailable) {
    super(message, cause === undefined ? undefined : { cause });
    this.backend = backend;
    this.reason = reason;
    this.during = during;
  }
}
