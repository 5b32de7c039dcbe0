import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import {
  type AdapterInfo,
  describeAdapter,
  findGpu,
  type GpuHost,
  nameAdapter,
} from "./adapter.ts";
import { openAdapter } from "./device.ts";

/** Where models and kernels can run. A model runs on wasm where the kernels are on `"reference"`. */
export type Device = "webgpu" | "wasm" | "reference";

/** What may be asked for: `"auto"` is WebGPU on a real adapter, else wasm. */
export type DeviceName = "auto" | Device;

/** The names of all. */
export const DEVICES: readonly ["auto", "webgpu", "wasm", "reference"] = [
  "auto",
  "webgpu",
  "wasm",
  "reference",
];

/** How {@linkcode pickDevice} picks. */
export interface PickOptions {
  /**
   * Where adapters come from.
   *
   * @default navigator.gpu
   */
  readonly gpu?: GpuHost | undefined;
}

/** A device that was not taken. */
export interface SkippedDevice {
  /** Which. */
  readonly device: Device;
  /** Why, in words. */
  readonly reason: string;
}

/** What {@linkcode pickDevice} picked, and why. */
export interface PickedDevice {
  /** Where to run. */
  readonly device: Device;
  /** The adapter to open, when the device is `"webgpu"`. */
  readonly adapter: GPUAdapter | undefined;
  /** What it says of itself. */
  readonly info: AdapterInfo | undefined;
  /** What came before it and was passed over. */
  readonly skipped: readonly SkippedDevice[];
}

/**
 * Decides where to run. `"auto"` takes WebGPU on a real adapter and `"wasm"` otherwise: an adapter in software is
 * correct and slower than wasm, so only an explicit `"webgpu"` takes it.
 *
 * Throws a RangeError for another name, and a {@linkcode BackendUnavailableError} for `"webgpu"` where there is none.
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
    `Cannot pick a device as its name must be auto, webgpu, wasm or reference: current value is ${
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
