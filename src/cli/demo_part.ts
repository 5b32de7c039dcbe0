/**
 * Options and results that both parts of the demo share.
 *
 * @module
 */

import type { DeviceName } from "../backend/devices.ts";
import type { DynamicsKind } from "../dynamics/engine/dynamics_options.ts";
import type { DeviceInUse } from "../dynamics/engine/engine_device.ts";
import type { HookSet } from "../hooks/registry/hook_set.ts";

/** Options of a part of the demo. */
export interface PartOptions {
  /** The device to run on. */
  readonly device: DeviceName;
  /** Signal that interrupts the run. */
  readonly signal?: AbortSignal;
  /** Called before the run begins. Adds hooks to the engine of this part. */
  watch?(hooks: HookSet<DynamicsKind>): void;
}

/** The result of a part of the demo. */
export interface PartResult {
  /** The elapsed time, s. */
  readonly seconds: number;
  /** True if the signal has interrupted the run. */
  readonly isInterrupted: boolean;
  /** The number of steps that were done. */
  readonly stepCount: number;
  /** The device that the run used, and the devices that were skipped or lost before it. */
  readonly device: DeviceInUse;
}
