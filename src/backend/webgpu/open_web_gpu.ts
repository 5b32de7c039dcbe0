import { checkDevice } from "./check/check_device.ts";
import { openGpuDevice } from "./device.ts";
import { WebGpuBackend } from "./webgpu_backend.ts";

/** Options of {@linkcode openWebGpu}. */
export interface WebGpuOptions {
  /**
   * Device to share, for example with sessions of a model. The caller keeps it.
   *
   * @default a device of the backend's own, of the fastest adapter
   */
  readonly device?: GPUDevice;
}

/**
 * Opens the WebGPU backend: kernels in WGSL, in float32, on one device. The first time in a process that an adapter is
 * opened, a small case of each family of kernels is compared with the reference backend.
 *
 * @example
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
 * @throws {BackendUnavailableError} if there is no WebGPU, no adapter or no device, or if a kernel computes something else
 * on the device than on the reference backend
 */
export async function openWebGpu({ device }: WebGpuOptions = {}): Promise<WebGpuBackend> {
  return await checked(new WebGpuBackend(device ?? await openGpuDevice(), device === undefined));
}

/** Opens the WebGPU backend on an adapter, with the same check. The device is destroyed with the backend. */
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
