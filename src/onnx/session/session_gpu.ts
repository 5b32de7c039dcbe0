import { lossOf } from "../../backend/webgpu/device.ts";
import { explain } from "./session_errors.ts";
import type { RuntimeTensor } from "./session_runtime.ts";
import {
  countOf,
  gpuBytesOf,
  type GpuTensor,
  TENSOR_ARRAYS,
  type TensorArray,
  type TensorDtype,
} from "./session_tensor.ts";

/** Properties of the session to which a GPU tensor belongs. */
export interface GpuOwner {
  /** Name of the model in error messages. */
  readonly name: string;
  /** Device of the buffer. */
  readonly gpuDevice: GPUDevice;
}

/**
 * An output on the GPU. Its callback `release` returns the buffer to the session; it is omitted if the session does
 * not own the buffer.
 */
export class SessionGpuTensor implements GpuTensor {
  readonly location = "gpu";
  readonly dtype: TensorDtype;
  readonly dims: readonly number[];
  readonly buffer: GPUBuffer;
  readonly #owner: GpuOwner;
  #release: (() => void) | undefined;

  constructor(owner: GpuOwner, { type, dims, gpuBuffer }: RuntimeTensor, release?: () => void) {
    this.dtype = type as TensorDtype;
    this.dims = dims;
    this.buffer = gpuBuffer;
    this.#owner = owner;
    this.#release = release;
  }

  async read(): Promise<TensorArray> {
    return await readTensorBuffer(this.#owner, this.buffer, this);
  }

  dispose(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }
}

/** Copies a tensor from a GPU buffer to host memory. Does not use the runtime, so it need not wait for the lock. */
async function readTensorBuffer(
  { name, gpuDevice }: GpuOwner,
  buffer: GPUBuffer,
  { dtype, dims }: { readonly dtype: TensorDtype; readonly dims: readonly number[] },
): Promise<TensorArray> {
  const Numbers = TENSOR_ARRAYS[dtype];
  const size = Math.min(buffer.size, gpuBytesOf(dtype, dims));
  const staging = gpuDevice.createBuffer({ size, usage: 0x1 | 0x8 }); // MAP_READ, COPY_DST
  try {
    const encoder = gpuDevice.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
    gpuDevice.queue.submit([encoder.finish()]);
    await staging.mapAsync(0x1); // READ
    return new Numbers(staging.getMappedRange().slice(0), 0, countOf(dims));
  } catch (error) {
    await lossToShow(gpuDevice);
    throw explain(error, { name, device: "webgpu", gpuDevice, during: "read" });
  } finally {
    staging.destroy();
  }
}

/**
 * Waits until the loss of a device is reported, but at most 50 ms. The report comes slightly later than the errors
 * that the loss causes.
 */
export async function lossToShow(gpuDevice: GPUDevice | undefined): Promise<void> {
  if (gpuDevice === undefined || lossOf(gpuDevice) !== undefined) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => timer = setTimeout(resolve, 50));
  await Promise.race([gpuDevice.lost, enough]);
  clearTimeout(timer);
}
