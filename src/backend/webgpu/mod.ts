/**
 * The WebGPU backend: kernels in WGSL, in float32.
 *
 * @module
 */

export { openGpuDevice } from "./device.ts";
export { gpuOf, openWebGpu, WebGpuBackend, type WebGpuOptions } from "./webgpu_backend.ts";
