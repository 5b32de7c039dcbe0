import type { Backend } from "../backend.ts";
import type { WebGpuBackend } from "./webgpu_backend.ts";

/**
 * Returns the backend if it runs on a GPU, otherwise `undefined`. Models use it to share the GPU device.
 *
 * @example
 * ```ts
 * import { gpuOf, openBackend } from "@hooke/hooke/backend";
 * import { assertEquals } from "@std/assert";
 *
 * const backend = openBackend("wasm");
 * assertEquals(gpuOf(backend), undefined); // no model can share a GPU with it
 * ```
 */
export function gpuOf(backend: Backend): WebGpuBackend | undefined {
  // Not by class, which would load all shaders with every model.
  return backend.name === "webgpu" && "device" in backend ? backend as WebGpuBackend : undefined;
}
