/**
 * Where kernels run: backends behind one interface.
 *
 * @module
 */

export type {
  Backend,
  Buffer,
  Call,
  CallTimes,
  FrameBuffers,
  Given,
  Handed,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
} from "./backend.ts";
export { call } from "./backend.ts";
export { openBackend } from "./open.ts";
export {
  BackendUnavailableError,
  openWebGpu,
  WebGpuBackend,
  type WebGpuOptions,
} from "./webgpu/mod.ts";
