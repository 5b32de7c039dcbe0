import { checkDevice } from "./check/check_device.ts";
import { openGpuDevice } from "./device.ts";
import { WebGpuBackend } from "./webgpu_backend.ts";

/** Options of {@linkcode openWebGpu}. */
export interface WebGpuOptions {
  /**
   * Device to share, for example with sessions of a model. The caller destroys it.
   *
   * @default a new device of the fastest adapter, which the backend destroys
   */
  readonly device?: GPUDevice;
}

/**
 * Opens the WebGPU backend: kernels in WGSL, in float32, on one device. When a process opens an
 * adapter for the first time, it compares a small case of each family of kernels with the reference
 * backend.
 *
 * @example
 *
 * ```ts
 * import { openWebGpu } from "./open_web_gpu.ts";
 * import { assertEquals } from "@std/assert";
 *
 * if (await navigator.gpu?.requestAdapter()) {
 *   const backend = await openWebGpu();
 *   const forces = backend.alloc("real", 3);
 *   backend.write(forces, [1, 2, 3]);
 *   assertEquals(Array.from(await backend.read(forces)), [1, 2, 3]);
 *   backend.dispose();
 * }
 * ```
 *
 * @throws {BackendUnavailableError} if WebGPU, an adapter or a device does not exist, or if a
 * kernel gives other results than on the reference backend
 */
export async function openWebGpu({ device }: WebGpuOptions = {}): Promise<WebGpuBackend> {
  return await checked(new WebGpuBackend(device ?? await openGpuDevice(), device === undefined));
}

/**
 * Opens the WebGPU backend on an adapter, with the same check as `openWebGpu`. Disposing of the backend destroys the
 * device.
 */
export async function openWebGpuOn(adapter: GPUAdapter): Promise<WebGpuBackend> {
  return await checked(new WebGpuBackend(await openGpuDevice({ adapter }), true));
}

async function checked(backend: WebGpuBackend): Promise<WebGpuBackend> {
  try {
    await checkDevice(backend.device);
    return backend;
  } catch (error) {
    backend.dispose();
    throw error;
  }
}
