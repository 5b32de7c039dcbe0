import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import { findGpu, type GpuHost } from "./adapter.ts";

/** Options of {@linkcode openGpuDevice}. */
export interface GpuDeviceOptions {
  /**
   * Source of adapters.
   *
   * @default navigator.gpu
   */
  readonly gpu?: GpuHost | undefined;
  /**
   * Adapter to use. An adapter gives only one device.
   *
   * @default the adapter that `gpu` gives
   */
  readonly adapter?: GPUAdapter;
}

/** Features that onnxruntime uses for its faster programs. The device gets those that the adapter has. */
const FEATURES: readonly GPUFeatureName[] = ["shader-f16", "subgroups", "timestamp-query"];

/** Limits that onnxruntime raises when it opens a device itself. The defaults are far below most adapters. */
const LIMITS = [
  "maxBindGroups",
  "maxStorageBuffersPerShaderStage",
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension",
] as const;

/**
 * Device → its adapter, which must not be collected before the device: for `adapterInfo`, which onnxruntime reads,
 * Deno 2.9 looks the adapter up, and ends the process if it is gone.
 */
const adapters = new WeakMap<GPUDevice, GPUAdapter>();

/** Watched device → how it was lost, once it was. */
const lost = new WeakMap<GPUDevice, GPUDeviceLostInfo | undefined>();

/**
 * Opens a WebGPU device with the limits and features that models and kernels want. They share it, so that their buffers
 * need no copies. The caller destroys it. (A device opened in any other way must, under Deno, keep its adapter from being
 * collected: the process would end.)
 *
 * Throws a {@linkcode BackendUnavailableError} if there is no WebGPU, no adapter or no device.
 *
 * ```ts
 * import { openGpuDevice, pickDevice } from "@hooke/hooke/backend";
 *
 * const { device, adapter } = await pickDevice("auto");
 * if (device === "webgpu") (await openGpuDevice({ adapter: adapter! })).destroy();
 * ```
 */
export async function openGpuDevice(options: GpuDeviceOptions = {}): Promise<GPUDevice> {
  const adapter = options.adapter ?? await openAdapter("gpu" in options ? options.gpu : findGpu());
  const device = await adapter.requestDevice({
    requiredFeatures: FEATURES.filter((name) => adapter.features.has(name)),
    requiredLimits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
  }).catch((cause) => {
    throw unavailable(`a device must be had of the adapter: ${cause}`, cause);
  });
  adapters.set(device, adapter);
  watchDevice(device);
  return device;
}

/** Asks for an adapter. Throws a {@linkcode BackendUnavailableError} if there is none. */
export async function openAdapter(gpu: GpuHost | undefined): Promise<GPUAdapter> {
  if (gpu === undefined) {
    throw unavailable("there must be WebGPU: navigator.gpu is undefined here");
  }
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter !== null) return adapter;
  throw unavailable(
    "there must be an adapter: none was found (on Linux install a Vulkan driver, as mesa-vulkan-drivers; " +
      "in Chrome see chrome://gpu)",
  );
}

/** Returns the adapter of a device that {@linkcode openGpuDevice} has opened. */
export function adapterOf(device: GPUDevice): GPUAdapter | undefined {
  return adapters.get(device);
}

/** Watches a device for {@linkcode lossOf}. Calling it again does nothing. */
export function watchDevice(device: GPUDevice): void {
  if (lost.has(device)) return;
  lost.set(device, undefined);
  device.lost.then((info) => lost.set(device, info));
}

/**
 * Tells how a watched device was lost; `undefined` while it is not. A loss is known a turn of the event loop after it
 * happened; until then everything that does not read back seems to work.
 */
export function lossOf(device: GPUDevice): GPUDeviceLostInfo | undefined {
  return lost.get(device);
}

function unavailable(requirement: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(`Cannot open a WebGPU device as ${requirement}`, {
    backend: "webgpu",
    reason: "absent",
    during: "open",
    cause,
  });
}
