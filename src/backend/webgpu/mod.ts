/**
 * The WebGPU backend: kernels in WGSL, in float32.
 *
 * @module
 */

export { openGpuDevice } from "./device.ts";
export { openWebGpu, openWebGpuOn, type WebGpuOptions } from "./open_web_gpu.ts";
export { gpuOf } from "./gpu_of.ts";
export { WebGpuBackend } from "./webgpu_backend.ts";
