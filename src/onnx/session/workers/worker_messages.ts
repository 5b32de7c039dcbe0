/**
 * Messages between a session and the worker that it runs in.
 *
 * @module
 */

import type { BackendUnavailableError } from "../../../backend/backend_unavailable_error.ts";
import type { FeedsByInput } from "../compare_sessions.ts";
import type { SessionOptions } from "../session_options.ts";
import type { SessionDevice } from "../session_runtime.ts";
import type { Outputs, TensorInfo } from "../session_tensor.ts";

/** Options of a session in a form that a message can carry. */
export interface WorkerOptions extends Omit<SessionOptions, "wasmFile" | "signal" | "download"> {
  /** Address or bytes of the .wasm file of onnxruntime-web. */
  readonly wasmFile?: string | Uint8Array;
}

/** A request to a worker. */
export type WorkerRequest =
  | {
    readonly id: number;
    readonly kind: "open";
    readonly bytes: Uint8Array;
    readonly options: WorkerOptions;
  }
  | {
    readonly id: number;
    readonly kind: "run";
    readonly feeds: FeedsByInput;
    readonly fetches: readonly string[] | undefined;
  };

/** Properties of the session in the worker. */
export interface WorkerSessionInfo {
  /** Name of the model in error messages. */
  readonly name: string;
  /** Implementation that runs the model. */
  readonly device: SessionDevice;
  /** Number of threads on the processor. */
  readonly threads: number;
  /** Inputs, in the model's order. */
  readonly inputs: readonly TensorInfo[];
  /** Outputs, in the model's order. */
  readonly outputs: readonly TensorInfo[];
}

/** Properties of an error, because a message cannot carry the class of an error. */
export interface WorkerError {
  readonly name: string;
  readonly message: string;
  readonly backend?: "webgpu" | "wasm";
  readonly reason?: BackendUnavailableError["reason"];
  readonly during?: string;
}

/** Reply of a worker, with the `id` of the request that it answers. */
export type WorkerReply =
  & { readonly id: number }
  & (
    | { readonly info: WorkerSessionInfo }
    | { readonly outputs: Outputs }
    | { readonly error: WorkerError }
  );
