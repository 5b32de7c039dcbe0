/**
 * Backends: devices that run kernels, behind one interface.
 *
 * @module
 */

export type {
  Backend,
  Buffer,
  BufferValues,
  CallTimes,
  Edges,
  EdgesOptions,
  FrameBuffers,
  Given,
  Handed,
  KernelCall,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
  Spread,
} from "./backend.ts";
export { call } from "./backend.ts";
export { gpuOf, openWebGpu, WebGpuBackend, type WebGpuOptions } from "./webgpu/mod.ts";
export { openThreads, type ThreadsOptions } from "./threads/mod.ts";
export { openBackend, openDevice, type OpenedDevice } from "./open.ts";
export type { Unavailable, UnavailableReason } from "./backend_unavailable_error.ts";
export { BackendUnavailableError } from "./backend_unavailable_error.ts";
export type { AdapterInfo, GpuHost } from "./webgpu/adapter.ts";
export { describeAdapter } from "./webgpu/adapter.ts";
export type { GpuDeviceOptions } from "./webgpu/device.ts";
export { lossOf, openGpuDevice, watchDevice } from "./webgpu/device.ts";
export type { Device, DeviceName } from "./devices.ts";
export { ALL_DEVICES } from "./devices.ts";
export type { PickedDevice, PickOptions, SkippedDevice } from "./webgpu/pick.ts";
export { pickDevice } from "./webgpu/pick.ts";
