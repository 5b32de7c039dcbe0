/**
 * Where the demo's engines run.
 *
 * @module
 */

import type { DeviceInUse } from "../dynamics/engine/engine_device.ts";

/** Where something runs, and what was passed over or lost: a line each. */
export function aboutDevice({ device, info, skipped }: DeviceInUse): string {
  const { description, vendor = "", architecture = "" } = info ?? {};
  const adapter = description || `${vendor} ${architecture}`.trim();
  return [
    `  runs on ${device}${adapter === "" ? "" : ` (${adapter})`}`,
    ...skipped.map(({ device, reason }) => `  not on ${device}: ${reason}`),
  ].join("\n");
}
