/**
 * What is used of onnxruntime-web, as its types have it. Only `session.ts` imports the package; everything else of
 * the door sees it through here.
 *
 * @module
 */

import type { TensorArray, TensorDtype } from "./session_tensor.ts";

/** A tensor as the runtime knows it. */
export interface RuntimeTensor {
  readonly location: string;
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
  readonly gpuBuffer: GPUBuffer;
  dispose(): void;
}

/** What the runtime says of an input or an output. */
export interface RuntimeMetadata {
  readonly name: string;
  readonly isTensor: boolean;
  readonly type?: string;
  readonly shape?: ReadonlyArray<number | string>;
}

/** A session as the runtime knows it. */
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

/** One build of onnxruntime-web. */
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
