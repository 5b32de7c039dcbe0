import type { Backend } from "./backend.ts";
import { BackendUnavailableError } from "./backend_unavailable_error.ts";
import type { Device, DeviceName } from "./devices.ts";
import { ReferenceBackend } from "./reference/reference_backend.ts";
import { WasmBackend } from "./wasm/wasm_backend.ts";
import type { AdapterInfo } from "./webgpu/adapter.ts";
import type { PickedDevice, PickOptions, SkippedDevice } from "./webgpu/pick.ts";

/** Functions that create a backend, by its name. */
const BACKENDS: Readonly<Record<string, () => Backend>> = {
  reference: () => new ReferenceBackend(),
  wasm: () => new WasmBackend(),
};

/**
 * Opens a backend by name: `"wasm"` (SIMD, float32) or `"reference"` (TypeScript, float64). Throws
 * a RangeError for any other name. {@linkcode openDevice} also opens GPUs, which have to be
 * awaited.
 *
 * @example
 * ```ts
 * import { openBackend } from "@hooke/hooke/backend";
 * import { assertEquals } from "@std/assert";
 *
 * const wasm = openBackend();
 * const reference = openBackend("reference");
 * assertEquals([wasm.real, reference.real], ["f32", "f64"]);
 * ```
 */
export function openBackend(name: string = "wasm"): Backend {
  const make = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (make !== undefined) return make();
  throw new RangeError(
    `Cannot open a backend: its name must be ${Object.keys(BACKENDS).join(" or ")}; got ${
      JSON.stringify(name)
    }. Use await openDevice() for a GPU`,
  );
}

/** A device opened by {@linkcode openDevice}. */
export interface OpenedDevice {
  /** The backend on the device. The caller disposes of it, which also destroys a GPU device. */
  readonly backend: Backend;
  /** Name of the device. */
  readonly device: Device;
  /** Description of the adapter, if the device is a GPU. */
  readonly info?: AdapterInfo;
  /** Devices that were preferred but could not be used. */
  readonly skipped: readonly SkippedDevice[];
}

/**
 * Opens a device by name. `"auto"` opens WebGPU on a hardware adapter, or else `"wasm"`, and lists
 * the reasons in `skipped`; `"webgpu"` also accepts a software adapter. When a process opens an
 * adapter for the first time, it compares a small case of each family of kernels with the reference
 * backend.
 *
 * @example
 *
 * ```ts
 * import { openDevice } from "@hooke/hooke/backend";
 *
 * const { backend, device, skipped } = await openDevice("auto");
 * console.log(device, skipped.map(({ reason }) => reason));
 * backend.dispose();
 * ```
 *
 * @throws {RangeError} if the name is unknown
 * @throws {BackendUnavailableError} if `"webgpu"` is requested but does not exist, or its kernels
 * give other results than the reference backend
 */
export async function openDevice(
  name: DeviceName = "auto",
  options: PickOptions = {},
): Promise<OpenedDevice> {
  const { pickDevice } = await import("./webgpu/pick.ts");
  const picked = await pickDevice(name, options);
  if (picked.device !== "webgpu") return opened(picked.device, picked.skipped);
  try {
    return await openGpu(picked);
  } catch (error) {
    if (name !== "auto" || !(error instanceof BackendUnavailableError)) throw error;
    return opened("wasm", [...picked.skipped, { device: "webgpu", reason: error.message }]);
  }
}

/** Opens the picked GPU. The shaders are imported only here, so that runs on a CPU never load them. */
async function openGpu({ adapter, info, skipped }: PickedDevice): Promise<OpenedDevice> {
  const { openWebGpuOn } = await import("./webgpu/mod.ts");
  const backend = await openWebGpuOn(adapter!);
  return { backend, device: "webgpu", info: info!, skipped };
}

function opened(device: "wasm" | "reference", skipped: readonly SkippedDevice[]): OpenedDevice {
  return { backend: openBackend(device), device, skipped };
}
