/**
 * The WebGPU backend: kernels in WGSL, in float32, that wait for nobody.
 *
 * @module
 */

export { gpuOf, openWebGpu, WebGpuBackend, type WebGpuOptions } from "./webgpu_backend.ts";
