import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import { findGpu, type GpuHost } from "./adapter.ts";

/** How {@linkcode openGpuDevice} opens a device. */
export interface GpuDeviceOptions {
  /**
   * Where adapters come from.
   *
   * @default navigator.gpu
   */
  readonly gpu?: GpuHost | undefined;
  /**
   * An adapter already asked for; it is used up.
   *
   * @default the one `gpu` gives
   */
  readonly adapter?: GPUAdapter;
}

/** Without these onnxruntime picks slower programs, or none; so the device has all the adapter has. */
const FEATURES: readonly GPUFeatureName[] = ["shader-f16", "subgroups", "timestamp-query"];

/** What onnxruntime asks for when it opens a device itself. The defaults are far below what most adapters have. */
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
 * Device → its adapter, which must not be collected before it: asked for `adapterInfo`, as onnxruntime asks, Deno 2.9
 * looks the adapter up, and ends the process when it is no longer there.
 */
const adapters = new WeakMap<GPUDevice, GPUAdapter>();

/** Device → how it was lost, once it was. */
const lost = new WeakMap<GPUDevice, GPUDeviceLostInfo | undefined>();

/**
 * Opens a WebGPU device with the limits and features of its adapter that models and kernels want, for all of them
 * to share: their buffers then need no copy between each other. Whoever opens it destroys it. (Whoever opens one
 * otherwise must, under Deno, keep its adapter from being collected: the process would end.)
 *
 * Throws a {@linkcode BackendUnavailableError} where there is no WebGPU, no adapter or no device to be had.
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

/** Asks for an adapter. Throws a {@linkcode BackendUnavailableError} where there is none. */
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

/** From now on {@linkcode lossOf} knows of this device's loss. Calling it again does nothing. */
export function watchDevice(device: GPUDevice): void {
  if (lost.has(device)) return;
  lost.set(device, undefined);
  device.lost.then((info) => lost.set(device, info));
}

/**
 * How a watched device was lost, or `undefined` while it is not. A loss is known a turn of the event loop after it
 * happened; until then whatever does not read back seems to work.
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
