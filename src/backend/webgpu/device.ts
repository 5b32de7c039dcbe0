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
   * Adapter to use. Each adapter can open only one device.
   *
   * @default the adapter that `gpu` gives
   */
  readonly adapter?: GPUAdapter;
}

/** Features that onnxruntime uses for faster kernels. They are requested if the adapter has them. */
const FEATURES: readonly GPUFeatureName[] = ["shader-f16", "subgroups", "timestamp-query"];

/**
 * Limits that onnxruntime raises when it opens a device itself. They are raised to those of the adapter, because the
 * defaults are far below what most adapters support.
 */
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
 * The adapter of each device. It must not be garbage-collected before the device. Reading `adapterInfo` of a device,
 * as onnxruntime does, looks the adapter up in Deno 2.9, which crashes if it is gone.
 */
const adapters = new WeakMap<GPUDevice, GPUAdapter>();

/** The watched devices. The value is the information about the loss, or `undefined` while the device is not lost. */
const losses = new WeakMap<GPUDevice, GPUDeviceLostInfo | undefined>();

/**
 * Opens a WebGPU device with the limits and features that models and kernels need. Models and kernels share the
 * device, so that their buffers need no copies. The caller destroys it. (Under Deno, a device opened in any other way
 * must keep its adapter from being garbage-collected, or the process crashes.) Throws a {@linkcode
 * BackendUnavailableError} if WebGPU, an adapter or a device does not exist.
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
    throw unavailable(`the adapter gave no device: ${cause}`, cause);
  });
  adapters.set(device, adapter);
  watchDevice(device);
  return device;
}

/** Requests an adapter. Throws a {@linkcode BackendUnavailableError} if no adapter exists. */
export async function openAdapter(gpu: GpuHost | undefined): Promise<GPUAdapter> {
  if (gpu === undefined) {
    throw unavailable("this runtime has no WebGPU (navigator.gpu is undefined)");
  }
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter !== null) return adapter;
  throw unavailable(
    "no adapter was found (on Linux install a Vulkan driver, such as mesa-vulkan-drivers; " +
      "in Chrome see chrome://gpu)",
  );
}

/** Returns the adapter of a device that {@linkcode openGpuDevice} has opened; `undefined` for other devices. */
export function adapterOf(device: GPUDevice): GPUAdapter | undefined {
  return adapters.get(device);
}

/** Starts to watch a device for {@linkcode lossOf}. Further calls for the same device do nothing. */
export function watchDevice(device: GPUDevice): void {
  if (losses.has(device)) return;
  losses.set(device, undefined);
  device.lost.then((info) => losses.set(device, info));
}

/**
 * Returns information about the loss of a watched device, or `undefined` if it is not lost. A loss becomes known one
 * turn of the event loop after it happened. Until then, everything except reading seems to work.
 *
 * @example
 * ```ts
 * import { lossOf, watchDevice } from "@hooke/hooke/backend";
 * import { assertEquals } from "@std/assert";
 *
 * const lost = Promise.resolve({ reason: "destroyed", message: "closed" });
 * const device = { lost } as unknown as GPUDevice; // stands in for a device of a GPU
 * watchDevice(device);
 * assertEquals(lossOf(device), undefined);
 * await lost;
 * assertEquals(lossOf(device)?.reason, "destroyed");
 * ```
 */
export function lossOf(device: GPUDevice): GPUDeviceLostInfo | undefined {
  return losses.get(device);
}

function unavailable(problem: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(`Cannot open a WebGPU device: ${problem}`, {
    backend: "webgpu",
    reason: "absent",
    during: "open",
    cause,
  });
}
