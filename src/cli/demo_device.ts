/**
 * Devices of the demo's engines.
 *
 * @module
 */

import type { DeviceInUse } from "../dynamics/engine/engine_device.ts";

/** Describes the device in use, and the devices that were skipped or lost, one per line. */
export function aboutDevice({ device, info, skipped }: DeviceInUse): string {
  const { description, vendor = "", architecture = "" } = info ?? {};
  const adapter = description || `${vendor} ${architecture}`.trim();
  return [
    `  runs on ${device}${adapter === "" ? "" : ` (${adapter})`}`,
    ...skipped.map(({ device, reason }) => `  not on ${device}: ${reason}`),
  ].join("\n");
}
