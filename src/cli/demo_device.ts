/**
 * Where the demo's engines run.
 *
 * @module
 */

import type { Device } from "../backend/webgpu/pick.ts";
import type { DynamicsOptions } from "../dynamics/dynamics_options.ts";

/** What may be asked for. */
export type DeviceName = "auto" | Device;

/** The names of all. */
export const DEVICES: readonly ["auto", "webgpu", "wasm", "reference"] = [
  "auto",
  "webgpu",
  "wasm",
  "reference",
];

/** The option of an engine that puts it there. Throws a RangeError for what engines cannot run on. */
export function onDevice(device: DeviceName): Pick<DynamicsOptions, "backend"> {
  if (device === "webgpu") {
    throw new RangeError(
      `Cannot run the demo on webgpu as engines must know it: they run on wasm and reference`,
    );
  }
  return { backend: device === "auto" ? "wasm" : device };
}
