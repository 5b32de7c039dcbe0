/**
 * The WebGPU backend: kernels in WGSL, in float32.
 *
 * @module
 */

export { gpuOf, openWebGpu, WebGpuBackend, type WebGpuOptions } from "./webgpu_backend.ts";
