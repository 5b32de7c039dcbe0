import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import {
  type AdapterInfo,
  describeAdapter,
  findGpu,
  type GpuHost,
  nameAdapter,
} from "./adapter.ts";
import type { Device, DeviceName } from "../devices.ts";
import { openAdapter } from "./device.ts";

/** Options of {@linkcode pickDevice}. */
export interface PickOptions {
  /**
   * Source of adapters.
   *
   * @default navigator.gpu
   */
  readonly gpu?: GpuHost | undefined;
}

/** A device that was preferred but could not be used. */
export interface SkippedDevice {
  /** Name of the device. */
  readonly device: Device;
  /** Reason why it could not be used. */
  readonly reason: string;
}

/** Result of {@linkcode pickDevice}. */
export interface PickedDevice {
  /** Device to run on. */
  readonly device: Device;
  /** Adapter to open if the device is `"webgpu"`. */
  readonly adapter: GPUAdapter | undefined;
  /** Description of the adapter; `undefined` if the device is not `"webgpu"`. */
  readonly info: AdapterInfo | undefined;
  /** Devices that were preferred but could not be used. */
  readonly skipped: readonly SkippedDevice[];
}

/**
 * Picks a device to run on. `"auto"` picks WebGPU on a hardware adapter, or else `"wasm"`. A
 * software adapter is correct but slower than wasm, so only an explicit `"webgpu"` picks it.
 *
 * Throws a RangeError for any other name, and a {@linkcode BackendUnavailableError} if `"webgpu"`
 * is requested but does not exist.
 *
 * ```ts
 * import { pickDevice } from "@hooke/hooke/backend";
 *
 * const { device, skipped } = await pickDevice("auto");
 * for (const { device: other, reason } of skipped) reason; // why not webgpu
 * ```
 */
export async function pickDevice(
  wanted: DeviceName = "auto",
  options: PickOptions = {},
): Promise<PickedDevice> {
  const gpu = "gpu" in options ? options.gpu : findGpu();
  if (wanted === "wasm" || wanted === "reference") return picked(wanted, undefined, []);
  if (wanted === "webgpu") return picked("webgpu", await openAdapter(gpu), []);
  if (wanted === "auto") return await pickBest(gpu);
  throw new RangeError(
    `Cannot pick a device: its name must be auto, webgpu, wasm or reference; got ${
      JSON.stringify(wanted)
    }`,
  );
}

async function pickBest(gpu: GpuHost | undefined): Promise<PickedDevice> {
  try {
    const adapter = await openAdapter(gpu);
    const info = describeAdapter(adapter);
    if (!info.isSoftware) return picked("webgpu", adapter, []);
    const reason = `its adapter is software (${nameAdapter(info)}), which is slower than wasm`;
    return picked("wasm", undefined, [{ device: "webgpu", reason }]);
  } catch (error) {
    if (!(error instanceof BackendUnavailableError)) throw error;
    return picked("wasm", undefined, [{ device: "webgpu", reason: error.message }]);
  }
}

function picked(
  device: Device,
  adapter: GPUAdapter | undefined,
  skipped: readonly SkippedDevice[],
): PickedDevice {
  return { device, adapter, info: adapter && describeAdapter(adapter), skipped };
}
