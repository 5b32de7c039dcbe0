/**
 * Types of the members of onnxruntime-web that are used. Only `open_session.ts` imports onnxruntime-web; other files
 * use these types.
 *
 * @module
 */

import type { TensorArray, TensorDtype } from "./session_tensor.ts";

/** An implementation of onnxruntime that runs a session. */
export type SessionDevice = "wasm" | "native" | "webgpu";

/** A tensor of the runtime. */
export interface RuntimeTensor {
  readonly location: string;
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
  readonly gpuBuffer: GPUBuffer;
  dispose(): void;
}

/** Type and shape of an input or output, as the runtime reports them. */
export interface RuntimeMetadata {
  readonly name: string;
  readonly isTensor: boolean;
  readonly type?: string;
  readonly shape?: ReadonlyArray<number | string>;
}

/** A session of the runtime. */
export interface RuntimeSession {
  readonly inputMetadata: readonly RuntimeMetadata[];
  readonly outputMetadata: readonly RuntimeMetadata[];
  run(
    feeds: Readonly<Record<string, RuntimeTensor>>,
    fetches: Readonly<Record<string, RuntimeTensor | null>>,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, RuntimeTensor>>>;
  release(): Promise<void>;
}

/** A build of onnxruntime-web, or onnxruntime-node. */
export interface Runtime {
  readonly env: {
    readonly wasm: {
      numThreads?: number;
      wasmPaths?: unknown;
      wasmBinary?: unknown;
    };
  };
  readonly InferenceSession: {
    create(model: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<RuntimeSession>;
  };
  readonly Tensor: {
    new (type: TensorDtype, data: TensorArray, dims: readonly number[]): RuntimeTensor;
    fromGpuBuffer(
      buffer: GPUBuffer,
      options: { readonly dataType: TensorDtype; readonly dims: readonly number[] },
    ): RuntimeTensor;
  };
}
